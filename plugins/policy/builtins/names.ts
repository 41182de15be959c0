/** Builtins that OPA compiles to Wasm itself (OPA 1.22). */
export const nativeBuiltins: readonly string[] = (
  'plus minus mul div abs round ceil floor rem array.concat array.flatten array.reverse array.slice and or ' +
  'intersection union is_number is_string is_boolean is_array is_set is_object is_null type_name bits.or bits.and ' +
  'bits.negate bits.xor bits.lsh bits.rsh count sum product max min sort base64.is_valid base64.decode base64.encode ' +
  'base64url.encode base64url.decode net.cidr_contains net.cidr_overlap net.cidr_intersects equal gt gte lt lte neq ' +
  'glob.match json.marshal json.unmarshal object.filter object.get object.keys object.remove object.union ' +
  'object.union_n concat format_int indexof substring lower upper contains startswith endswith strings.reverse split ' +
  'replace strings.replace_n trim trim_left trim_prefix trim_right trim_suffix trim_space internal.template_string ' +
  'numbers.range to_number walk graph.reachable regex.is_valid regex.match regex.find_all_string_submatch_n ' +
  'json.remove json.filter internal.member_2 internal.member_3 json.is_valid'
).split(' ');

/** Builtins that the evaluator's package implements in JavaScript; they override our builtins of the same name. */
export const packageBuiltins: readonly string[] = [
  'regex.split',
  'sprintf',
  'yaml.is_valid',
  'yaml.marshal',
  'yaml.unmarshal',
];
