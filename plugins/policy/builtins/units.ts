import { BuiltinFault, rawJson, stringArgument, type Builtin, type Builtins } from './builtin.ts';

/** Builtins for amounts with a unit: `10Ki`, `1.5G`, `200m`. */
export const unitBuiltins: Builtins = {
  'units.parse': parsing('units.parse', { fine: true }),
  'units.parse_bytes': parsing('units.parse_bytes', { fine: false }),
};

const steps = ['', 'k', 'm', 'g', 't', 'p', 'e'];

function parsing(name: string, { fine }: { readonly fine: boolean }): Builtin {
  return (value) => {
    const text = stringArgument(name, value).replaceAll('"', '');
    if (text.includes(' ')) throw new BuiltinFault(name, 'an amount holds no space');
    const match = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)([a-zA-Z]*)$/.exec(text);
    if (match === null) throw new BuiltinFault(name, 'the text is not an amount');
    const [, number = '', unit = ''] = match;
    const factor = fine ? fineFactor(unit) : byteFactor(unit);
    if (factor === undefined) throw new BuiltinFault(name, 'the unit is not known');
    const amount = fine ? Number(number) * factor : Math.trunc(Number(number) * factor);
    // JSON would make null of it, which is below every number.
    if (!Number.isFinite(amount)) throw new BuiltinFault(name, 'the amount is out of range');
    // BigInt writes all digits: the shortest decimal form of a large integer is not exact.
    return Number.isInteger(amount) ? rawJson(String(BigInt(amount))) : amount;
  };
}

// `m` is a thousandth and `M` a million; case matters for no other unit.
function fineFactor(unit: string): number | undefined {
  if (unit === 'm') return 0.001;
  return factorOf(unit.toLowerCase());
}

function byteFactor(unit: string): number | undefined {
  const name = unit.toLowerCase();
  return factorOf(name.endsWith('b') ? name.slice(0, -1) : name);
}

function factorOf(name: string): number | undefined {
  const binary = name.length === 2 && name.endsWith('i');
  const power = steps.indexOf(binary ? name.slice(0, 1) : name);
  if (power < 0) return undefined;
  return (binary ? 1024 : 1000) ** power;
}
