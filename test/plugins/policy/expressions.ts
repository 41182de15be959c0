/**
 * Expressions over the builtins, a line each: `builtin: expression → value`, or `→ !code` of what happens instead of a
 * value. In an expression V is a member of the inputs, whose JSON stands after `←`.
 */
export const table = String.raw`
plus: 1 + 2 → 3
plus: 0.1 + 0.2 → 0.3
plus: 9007199254740992 + 1 → 9007199254740993
plus: V + 1 → 2 ← 1.0
plus: V + 1 → undefined ← "1"
plus: 1e308 + 1e308 → 2e+308
plus: 1 + "1" → !rego_type_error
minus: 3.14159 - 3 → 0.14159
minus: {1, 2} - {2} → {1}
minus: V - 1 → undefined ← null
mul: 1.1 * 3 → 3.3
mul: 4294967296 * 4294967296 → 18446744073709551616
mul: V * 2 → undefined ← [1]
div: 1 / 3 → 0.333333333333333333
div: 6 / 4 → 1.5
div: 1 / 0 → undefined
div: V / 0.5 → 200 ← 1e2
div: 1 / V → undefined ← 0
rem: 7 % 3 → 1
rem: -7 % 3 → -1
rem: 7 % V → undefined ← 0
rem: V % 2 → undefined ← 7.5
abs: abs(-1.5) → 1.5
abs: abs(V) → undefined ← "-1"
round: round(2.5) → 3
round: round(-2.5) → -3
ceil: ceil(1.000001) → 2
floor: floor(-1.5) → -2
floor: floor(V) → 9007199254740992 ← 9007199254740993
equal: 1 == 1.0 → true
equal: "é" == "é" → true
equal: V == {"b": 2, "a": [1, null]} → true ← {"a": [1.0, null], "b": 2e0}
eq: [y | x = 3; y = x] → [3]
assign: [y | x := [1, 2]; y := x[1]] → [2]
neq: 1 != V → true ← true
gt: 2 > 1 → true
gt: V > 100 → true ← "x"
gt: V > 9007199254740992 → false ← 9007199254740993
gte: "b" >= "ab" → true
gte: V >= 60 → false ← null
lt: [1, 2] < [1, 3] → true
lt: V < 1 → false ← {}
lte: {"a": 1} <= {"a": 1} → true
lte: true <= false → false
and: {1, 2, 3} & {2, 3, 4} → {2,3}
and: V & {1} → undefined ← [1]
or: {1} | {"1", 2} → {1,2,"1"}
intersection: intersection({{1, 2}, {2, 3}}) → {2}
union: union({{1}, {2}, set()}) → {1,2}
count: count("héllo𝄞") → 6
count: count({"a": 1, "b": 2}) → 2
count: count(V) → 2 ← ["a", "a"]
count: count(V) → undefined ← 5
count: count(5) → !rego_type_error
sum: sum([0.1, 0.2, 0.3]) → 0.6
sum: sum({1, 1.0, 2}) → 3
sum: sum(V) → undefined ← [1, "2"]
sum: sum("1") → !rego_type_error
product: product([1.1, 3]) → 3.3
product: product([]) → 1
max: max([1, "a", [0], null]) → [0]
max: max(V) → undefined ← []
min: min({3, 1, 2}) → 1
sort: sort(["b", 1, null, {"a": 1}, true]) → [null,true,1,"b",{"a":1}]
sort: sort({"é", "z", "a"}) → ["a","z","é"]
array.concat: array.concat([1], V) → [1,2,[3]] ← [2, [3]]
array.concat: array.concat([1], V) → undefined ← "x"
array.flatten: array.flatten([1, [2, [3]], []]) → [1,2,[3]]
array.reverse: array.reverse(V) → [3,2,1] ← [1, 2, 3]
array.slice: array.slice([0, 1, 2, 3], 1, 3) → [1,2]
array.slice: array.slice([0, 1], V, 9) → [0,1] ← -5
array.slice: array.slice([0, 1], V, 2) → undefined ← 0.5
bits.and: bits.and(12, 10) → 8
bits.or: bits.or(12, 3) → 15
bits.xor: bits.xor(12, 10) → 6
bits.negate: bits.negate(5) → -6
bits.lsh: bits.lsh(1, 40) → 1099511627776
bits.lsh: bits.lsh(1, V) → undefined ← -1
bits.rsh: bits.rsh(-8, 1) → -4
bits.rsh: bits.rsh(V, 1) → undefined ← 1.5
numbers.range: numbers.range(3, 1) → [3,2,1]
numbers.range: numbers.range(1, V) → undefined ← 2.5
numbers.range_step: numbers.range_step(0, 10, 4) → [0,4,8]
numbers.range_step: numbers.range_step(5, 1, 2) → [5,3,1]
numbers.range_step: numbers.range_step(0, 10, V) → !policy_builtin_error ← 0
numbers.range_step: numbers.range_step(0, V, 1) → !policy_builtin_error ← 1e9
to_number: to_number("1.50") → 1.50
to_number: to_number(true) → 1
to_number: to_number(V) → undefined ← "0x10"
to_number: to_number(null) → 0
format_int: format_int(255, 16) → "ff"
format_int: format_int(V, 10) → "15" ← 15.9
format_int: format_int(15, V) → undefined ← 7
format_int: format_int(9007199254740993, 10) → !policy_error
format_int: format_int(V, 10) → !policy_error ← 9007199254740993
type_name: type_name({1}) → "set"
type_name: type_name(V) → "array" ← [null]
is_number: is_number(V) → true ← 1e308
is_number: is_number("1") → false
is_string: is_string(V) → true ← ""
is_boolean: is_boolean(V) → true ← false
is_array: is_array(V) → true ← []
is_array: is_array({1}) → false
is_set: is_set(V) → false ← [1]
is_set: is_set({1}) → true
is_object: is_object(V) → true ← {}
is_null: is_null(V) → true ← null
is_null: is_null(V) → false ← 0
concat: concat(", ", ["a", "b"]) → "a, b"
concat: concat("", {"b", "a"}) → "ba"
concat: concat(",", V) → undefined ← ["a", 1]
contains: contains("straße", "ß") → true
contains: contains("abc", "") → true
contains: contains(V, "a") → undefined ← ["a"]
startswith: startswith("éa", "é") → true
startswith: startswith(V, "a") → undefined ← null
endswith: endswith("a.rego", ".rego") → true
indexof: indexof("añb", "b") → 2
indexof: indexof("abc", "x") → -1
indexof: indexof("abc", V) → 0 ← ""
indexof_n: indexof_n("añaña", "ña") → [1,3]
indexof_n: indexof_n("abc", V) → !policy_builtin_error ← ""
lower: lower("ÀÉI") → "àéi"
lower: lower(5) → !rego_type_error
upper: upper("straße") → "STRAßE"
replace: replace("a.b.c", ".", "") → "abc"
replace: replace(V, "a", "b") → undefined ← 1
replace: replace("aa", "", "b") → !policy_timeout
strings.replace_n: strings.replace_n({"a": "1", "b": "2"}, "abc") → "12c"
strings.reverse: strings.reverse("añ𝄞") → "𝄞ña"
strings.any_prefix_match: strings.any_prefix_match(["ab", "cd"], {"c", "x"}) → true
strings.any_prefix_match: strings.any_prefix_match(V, "a") → !policy_builtin_error ← [1]
strings.any_suffix_match: strings.any_suffix_match("a.b", [".c", ".b"]) → true
strings.any_suffix_match: strings.any_suffix_match("a", V) → !policy_builtin_error ← null
strings.count: strings.count("banana", "an") → 2
strings.count: strings.count("añ", "") → 3
strings.count: strings.count(V, "a") → !policy_builtin_error ← 7
split: split("a,b,,", ",") → ["a","b","",""]
split: split("añ", "") → ["a","ñ"]
substring: substring("añ𝄞b", 1, 2) → "ñ𝄞"
substring: substring("abc", 1, -1) → "bc"
substring: substring("abc", V, 1) → undefined ← -1
substring: substring("abc", 9, 1) → ""
trim: trim("xxaxx", "x") → "a"
trim_left: trim_left("xyax", "xy") → "ax"
trim_right: trim_right("axyx", "xy") → "a"
trim_prefix: trim_prefix("aab", "a") → "ab"
trim_suffix: trim_suffix("a.rego", ".rego") → "a"
trim_space: trim_space("\t \u00a0a\n") → "a"
trim_space: trim_space(V) → undefined ← {}
sprintf: sprintf("%s is %d", ["a", 3]) → "a is 3"
sprintf: sprintf("%d", [3.0]) → "3"
sprintf: sprintf("%v", [V]) → "[object Object]" ← {"a": 1}
sprintf: sprintf("%.2f", [3.14159]) → "3.14"
sprintf: sprintf("%d", V) → !policy_error ← ["x"]
sprintf: sprintf("%s", []) → "undefined"
internal.template_string: $"{1 + 1} of {V}" → "2 of 1.5" ← 1.50
internal.template_string: $"<{V}>" → "<{\"a\": [true, null]}>" ← {"a": [true, null]}
internal.template_string: $"{V.none}" → "<undefined>" ← {}
regex.match: regex.match("^a+b$", "aaab") → true
regex.match: regex.match(V, "a") → undefined ← "(?=a)"
regex.match: regex.match("^\\p{L}+$", "é") → true
regex.match: regex.match("a", 1) → !rego_type_error
regex.is_valid: regex.is_valid("[a-") → false
regex.is_valid: regex.is_valid(V) → false ← 1
regex.split: regex.split("[,;]", "a,b;c") → ["a","b","c"]
regex.split: regex.split(V, "a") → !policy_error ← "["
regex.find_all_string_submatch_n: regex.find_all_string_submatch_n("a(.)", "ab ac ad", 2) → [["ab","b"],["ac","c"]]
regex.find_all_string_submatch_n: regex.find_all_string_submatch_n(V, "a", -1) → undefined ← "("
glob.match: glob.match("*.example.com", ["."], "a.example.com") → true
glob.match: glob.match("*.example.com", [], "a.b.example.com") → false
glob.match: glob.match("*.example.com", null, "a.b.example.com") → true
glob.match: glob.match(V, [], "a") → undefined ← "[a"
glob.match: glob.match("{a,b}?", [], V) → true ← "bé"
base64.encode: base64.encode("añ?>") → "YcOxPz4="
base64.encode: base64.encode(V) → undefined ← 1
base64.decode: base64.decode("YcOxPz4=") → "añ?>"
base64.decode: base64.decode(V) → undefined ← "a"
base64.is_valid: base64.is_valid("YQ==") → true
base64.is_valid: base64.is_valid(V) → true ← "Y Q"
base64url.encode: base64url.encode("a??>") → "YT8_Pg=="
base64url.decode: base64url.decode("YT8_Pg") → "a??>"
base64url.decode: base64url.decode(V) → undefined ← "!"
base64url.encode_no_pad: base64url.encode_no_pad("a?") → "YT8"
base64url.encode_no_pad: base64url.encode_no_pad(V) → !policy_builtin_error ← true
hex.encode: hex.encode("é") → "c3a9"
hex.decode: hex.decode("c3a9") → "é"
hex.decode: hex.decode(V) → !policy_builtin_error ← "abc"
json.marshal: json.marshal({"b": [1.0, 1e2], "a": "é\n"}) → "{\"b\":[1.0,1e2],\"a\":\"é\\n\"}"
json.marshal: json.marshal(V) → "{\"b\":[1,100],\"a\":\"é\\n\"}" ← {"b": [1.0, 1e2], "a": "é\n"}
json.marshal: json.marshal({2, 1}) → "[1,2]"
json.unmarshal: json.unmarshal("{\"a\": [1.0, 1e400]}") → {"a":[1.0,1e400]}
json.unmarshal: json.unmarshal(V) → undefined ← "{"
json.unmarshal: json.unmarshal("9007199254740993") → 9007199254740993
json.is_valid: json.is_valid("[1,]") → true
json.is_valid: json.is_valid(V) → true ← "1"
json.filter: json.filter({"a": {"b": 1, "c": 2}}, ["a/b"]) → {"a":{"b":1}}
json.filter: json.filter({"a": 1}, V) → undefined ← 7
json.remove: json.remove({"a": [1, 2]}, ["a/0"]) → {"a":[2]}
json.remove: json.remove(V, ["/a"]) → {"b":2} ← {"a": 1, "b": 2}
yaml.marshal: yaml.marshal({"a": [1, "x"]}) → "a:\n  - 1\n  - x\n"
yaml.unmarshal: yaml.unmarshal("a: [1, 2.50, ~, yes]") → {"a":[1,2.5,null,"yes"]}
yaml.unmarshal: yaml.unmarshal(V) → undefined ← "a: ["
yaml.is_valid: yaml.is_valid("a: b: c") → false
yaml.is_valid: yaml.is_valid(V) → true ← "a: 1"
urlquery.encode: urlquery.encode("a b&ñ=*") → "a+b%26%C3%B1%3D%2A"
urlquery.encode: urlquery.encode(V) → !policy_builtin_error ← 1
urlquery.decode: urlquery.decode("a+b%26%C3%B1") → "a b&ñ"
urlquery.decode: urlquery.decode(V) → !policy_builtin_error ← "%zz"
urlquery.encode_object: urlquery.encode_object({"b": ["2", "1"], "a": "x y"}) → "a=x+y&b=2&b=1"
urlquery.encode_object: urlquery.encode_object(V) → !policy_builtin_error ← {"a": 1}
urlquery.decode_object: urlquery.decode_object("a=1&a=2&b") → {"b":[""],"a":["1","2"]}
urlquery.decode_object: urlquery.decode_object(V) → !policy_builtin_error ← "a=1;b=2"
crypto.md5: crypto.md5("") → "d41d8cd98f00b204e9800998ecf8427e"
crypto.md5: crypto.md5(V) → !policy_builtin_error ← 1
crypto.sha1: crypto.sha1("abc") → "a9993e364706816aba3e25717850c26c9cd0d89d"
crypto.sha1: crypto.sha1(V) → !policy_builtin_error ← null
crypto.sha256: crypto.sha256("é") → "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c"
crypto.sha256: crypto.sha256(V) → !policy_builtin_error ← ["a"]
crypto.hmac.md5: crypto.hmac.md5("a", "k") → "ddcf3d210049e7135f61affae73731cd"
crypto.hmac.sha1: crypto.hmac.sha1("a", "k") → "40e7d441cadb17b07f050341aa23a6820ed81c8b"
crypto.hmac.sha256: crypto.hmac.sha256("a", "k") → "78da91511e675587f5b9df78bedebaf5560da2abb88162ee875dcdf744951d9e"
crypto.hmac.sha256: crypto.hmac.sha256("a", V) → !policy_builtin_error ← 1
crypto.hmac.sha512: substring(crypto.hmac.sha512("a", "k"), 0, 16) → "82e0c15e0d62ab17"
crypto.hmac.equal: crypto.hmac.equal("ab", "ab") → true
crypto.hmac.equal: crypto.hmac.equal("ab", V) → !policy_builtin_error ← false
io.jwt.decode: io.jwt.decode("eyJhbGciOiJIUzI1NiJ9.eyJhIjoxLjB9.AAEC") → [{"alg":"HS256"},{"a":1},"000102"]
io.jwt.decode: io.jwt.decode(V) → !policy_builtin_error ← "a.b"
io.jwt.verify_hs256: io.jwt.verify_hs256("eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.x", "k") → false
io.jwt.verify_hs256: io.jwt.verify_hs256(V, "k") → !policy_builtin_error ← "a"
io.jwt.verify_hs384: io.jwt.verify_hs384("e30.e30.e30", "k") → false
io.jwt.verify_hs384: io.jwt.verify_hs384("a.b.c", V) → !policy_builtin_error ← 1
io.jwt.verify_hs512: io.jwt.verify_hs512("e30.e30.e30", "k") → false
io.jwt.verify_hs512: io.jwt.verify_hs512(V, "k") → !policy_builtin_error ← 5
net.cidr_contains: net.cidr_contains("10.0.0.0/8", "10.1.2.3") → true
net.cidr_contains: net.cidr_contains("2001:db8::/32", "2001:db8:1::/48") → true
net.cidr_contains: net.cidr_contains("10.0.0.0/8", V) → undefined ← "10.1.2.999"
net.cidr_intersects: net.cidr_intersects("10.0.0.0/8", "10.255.0.0/16") → true
net.cidr_intersects: net.cidr_intersects(V, "10.0.0.0/8") → undefined ← "10.0.0.0"
net.cidr_overlap: net.cidr_overlap("10.0.0.0/8", "10.1.2.3") → !rego_type_error
net.cidr_is_valid: net.cidr_is_valid("10.0.0.0/33") → false
net.cidr_is_valid: net.cidr_is_valid(V) → true ← "::1/128"
semver.compare: semver.compare("1.0.0-rc.2", "1.0.0-rc.10") → -1
semver.compare: semver.compare("1.0.0+a", "1.0.0+b") → 0
semver.compare: semver.compare(V, "1.0.0") → !policy_builtin_error ← "v1.0.0"
semver.compare: semver.compare(1, "1.0.0") → !rego_type_error
semver.is_valid: semver.is_valid("01.0.0") → false
semver.is_valid: semver.is_valid(V) → false ← 1
units.parse: units.parse("10Ki") → 10240
units.parse: units.parse("200m") → 0.2
units.parse: units.parse(V) → !policy_builtin_error ← "10 Ki"
units.parse: units.parse("1.5e3k") → 1500000
units.parse_bytes: units.parse_bytes("1.5MiB") → 1572864
units.parse_bytes: units.parse_bytes(V) → !policy_builtin_error ← "x"
time.now_ns: time.now_ns() > 1700000000000000000 → true
time.parse_rfc3339_ns: time.parse_rfc3339_ns("2024-02-29T23:59:59.123456789Z") → 1709251199123456789
time.parse_rfc3339_ns: time.parse_rfc3339_ns(V) → !policy_builtin_error ← "2023-02-29T00:00:00Z"
time.parse_duration_ns: time.parse_duration_ns("1h30m0.5s") → 5400500000000
time.parse_duration_ns: time.parse_duration_ns(V) → !policy_builtin_error ← "1 h"
time.date: time.date(1709251199000000000) → [2024,2,29]
time.date: time.date([1709251199000000000, V]) → !policy_builtin_error ← "Nowhere/Land"
time.clock: time.clock([1709251199000000000, "Asia/Kolkata"]) → [5,29,59]
time.clock: time.clock(V) → !policy_builtin_error ← "now"
time.weekday: time.weekday(1709251199000000000) → "Thursday"
time.weekday: time.weekday(V) → !policy_builtin_error ← 1e30
time.add_date: time.add_date(1709251199000000000, 1, 0, 0) → 1740873599000000000
time.add_date: time.add_date(1709251199000000000, V, 0, 0) → !policy_builtin_error ← 0.5
graph.reachable: graph.reachable({"a": ["b"], "b": ["a", "c"], "c": []}, {"a"}) → {"c","b","a"}
graph.reachable: graph.reachable({"a": {"b"}}, V) → set() ← ["b"]
walk: [p | walk({"a": [1, {"b": 2}]}, [p, v]); is_number(v)] → [["a",0],["a",1,"b"]]
walk: {v | walk(V, [_, v]); is_string(v)} → {"y","x"} ← {"a": ["x", {"b": "y"}]}
object.get: object.get({"a": {"b": 1}}, ["a", "b"], 0) → 1
object.get: object.get(V, "a", "none") → "none" ← {"b": 1}
object.get: object.get({"1": "a"}, V, "none") → "none" ← 1
object.keys: object.keys({"a": 1, 2: 3}) → {2,"a"}
object.keys: object.keys(V) → undefined ← [1]
object.keys: object.keys([1]) → !rego_type_error
object.filter: object.filter({"a": 1, "b": 2}, ["a"]) → {"a":1}
object.filter: object.filter(V, {"b"}) → {"b":2} ← {"a": 1, "b": 2}
object.remove: object.remove({"a": 1, "b": 2}, {"a"}) → {"b":2}
object.remove: object.remove({"a": 1}, V) → undefined ← "a"
object.union: object.union({"a": {"b": 1}}, {"a": {"c": 2}}) → {"a":{"c":2,"b":1}}
object.union: object.union({"a": 1}, V) → undefined ← null
object.union_n: object.union_n([{"a": 1}, {"a": 2}, {"b": 3}]) → {"b":3,"a":2}
internal.member_2: 2 in V → true ← [1, 2.0]
internal.member_2: "a" in {"x": "a"} → true
internal.member_2: 1 in V → false ← "1"
internal.member_3: (0, "a" in ["a"]) → true
internal.member_3: ("k", 2 in V) → false ← {"k": 1}
print: [1 | print("é", 1)] → [1]
rego.metadata.rule: rego.metadata.rule() → {}
rego.metadata.chain: is_array(rego.metadata.chain()) → true
`;
