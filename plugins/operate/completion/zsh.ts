import { listed, quoted, valued, type Branch, type Entry } from './branch.ts';

/** Writes the completion for zsh. It starts no program; where it knows no word, zsh completes files. */
export function zshScript(branches: readonly Branch[]): string {
  const cases = branches.map(
    (branch) =>
      `    ${quoted(branch.at)}) words_=(${described(branch.words)}) flags=(${described(branch.flags)}) ` +
      `names=(${listed(branch.words)}) valued=(${valued(branch)}) ;;`,
  );
  return `#compdef orb
# Completion of orb for zsh: source <(orb completion zsh)
_orb_branch() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}
_orb() {
  local -a words_ flags names valued
  local word next at= i
  _orb_branch ''
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if ((\${valued[(Ie)$word]})); then
      ((i++))
      if ((i >= CURRENT)); then _files; return; fi
    elif ((\${names[(Ie)$word]})); then
      next="\${at:+$at }$word"
      if _orb_branch "$next"; then at="$next"; else words_=() names=(); fi
    elif [[ "$word" != -* ]]; then
      words_=() names=()
    fi
  done
  if [[ "\${words[CURRENT]}" == -* ]]; then
    _describe option flags
  elif (($#words_)); then
    _describe command words_
  else
    _files
  fi
}
if [[ "$funcstack[1]" == _orb ]]; then _orb "$@"; else compdef _orb orb; fi
`;
}

function described(entries: readonly Entry[]): string {
  return entries.map(({ word, summary }) => quoted(`${word}:${summary.replaceAll(':', '\\:')}`)).join(' ');
}
