import { listed, quoted, valued, type Branch } from './branch.ts';

/** Writes the completion for bash 3.2 and later. It starts no program; where it knows no word, bash completes files. */
export function bashScript(branches: readonly Branch[]): string {
  const cases = branches.map(
    (branch) =>
      `    ${quoted(branch.at)}) words=${quoted(listed(branch.words))} flags=${quoted(listed(branch.flags))} ` +
      `valued=${quoted(valued(branch))} ;;`,
  );
  return `# Completion of orb for bash: source <(orb completion bash)
_orb_branch() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}
_orb() {
  local words flags valued word next at= i
  local current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  _orb_branch ''
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ " $valued " == *" $word "* ]]; then
      # Bash splits --name=value into three words.
      if [[ "\${COMP_WORDS[i + 1]-}" == = ]]; then i=$((i + 1)); fi
      i=$((i + 1))
      if ((i >= COMP_CWORD)); then return; fi
    elif [[ " $words " == *" $word "* ]]; then
      next="\${at:+$at }$word"
      if _orb_branch "$next"; then at="$next"; else words=; fi
    elif [[ "$word" != -* ]]; then
      words=
    fi
  done
  if [[ "$current" == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -o default -F _orb orb
`;
}
