/** A shell's own script for completion. Where no word is offered, the shell offers files. */
import type { SHELLS, Words } from './vocabulary.ts';

type Vocabulary = Readonly<Record<string, Words>>;

export const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], (vocabulary: Vocabulary) => string>> = {
  bash: (vocabulary) => `_audiosplit() {
  local current="\${COMP_WORDS[COMP_CWORD]}" actions='' options=''
  case "\${COMP_WORDS[1]}" in
${cases(vocabulary)}
  esac
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W '${names(vocabulary)}' -- "$current"))
  elif [ "\${current:0:1}" = - ]; then COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "$actions" -- "$current"))
  fi
}
complete -o default -F _audiosplit audiosplit
`,
  zsh: (vocabulary) => `#compdef audiosplit
_audiosplit() {
  local actions='' options=''
  case "$words[2]" in
${cases(vocabulary)}
  esac
  if (( CURRENT == 2 )); then compadd -- ${names(vocabulary)}
  elif [[ "$PREFIX" == -* ]]; then compadd -- \${=options}
  elif (( CURRENT == 3 )) && [[ -n "$actions" ]]; then compadd -- \${=actions}
  else _files
  fi
}
if [ "$funcstack[1]" = _audiosplit ]; then _audiosplit "$@"; else compdef _audiosplit audiosplit; fi
`,
  fish: (vocabulary) => `${[
    `complete -c audiosplit -n __fish_use_subcommand -f -a '${names(vocabulary)}'`,
    ...Object.entries(vocabulary).flatMap(([name, { actions, options }]) => [
      ...(actions.length === 0
        ? []
        : [
            `complete -c audiosplit -n '__fish_seen_subcommand_from ${name}; and test (count (commandline -opc)) -eq 2' -f -a '${actions.join(' ')}'`,
          ]),
      ...options.map(
        (option) => `complete -c audiosplit -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
      ),
    ]),
  ].join('\n')}
`,
};

function names(vocabulary: Vocabulary): string {
  return Object.keys(vocabulary).join(' ');
}

/** Of a `case` that bash and zsh read alike. */
function cases(vocabulary: Vocabulary): string {
  return Object.entries(vocabulary)
    .map(([name, { actions, options }]) => {
      return `    ${name}) actions='${actions.join(' ')}' options='${options.join(' ')}' ;;`;
    })
    .join('\n');
}
