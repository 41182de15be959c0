import { listed, valued, type Branch, type Entry, type Flag } from './branch.ts';

/** Writes the completion for fish. It starts no program; where it knows no word, fish completes files. */
export function fishScript(branches: readonly Branch[]): string {
  const cases = branches.map(
    (branch) =>
      `    case ${literal(branch.at)}\n` +
      `      set -g __orb_words ${listed(branch.words)}\n      set -g __orb_valued ${valued(branch)}`,
  );
  return `# Completion of orb for fish: orb completion fish | source
function __orb_branch
  switch "$argv[1]"
${cases.join('\n')}
    case '*'
      return 1
  end
end
function __orb_at
  set -l at
  set -l skip 0
  __orb_branch ''
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
    else if contains -- $word $__orb_valued
      set skip 1
    else if contains -- $word $__orb_words
      set -l next (string trim "$at $word")
      if __orb_branch $next
        set at $next
      else
        set -g __orb_words
      end
    else if not string match -q -- '-*' $word
      set -g __orb_words
    end
  end
  test $skip = 0 -a "$at" = "$argv[1]"
end
${branches.flatMap(lines).join('\n')}
`;
}

function lines({ at, flags, words }: Branch): readonly string[] {
  const when = `complete -c orb -n ${literal(`__orb_at ${literal(at)}`)}`;
  return [
    ...words.map((entry) => `${when} -f -a ${literal(entry.word)}${about(entry)}`),
    ...flags.map((flag) => `${when} -l ${flag.word.slice(2)}${required(flag)}${about(flag)}`),
  ];
}

function required({ takesValue }: Flag): string {
  return takesValue ? ' -r' : '';
}

function about({ summary }: Entry): string {
  return summary === '' ? '' : ` -d ${literal(summary)}`;
}

// In quotes, fish reads a backslash before a quote or a backslash as an escape.
function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
