import type { Command } from "./command.ts";
import { cliErrors } from "./errors.ts";

const usage = "completion bash|zsh|fish";

/** Words that a shell offers: commands, and the options of each. */
export interface CompletionWords {
  readonly name: string;
  readonly description: string;
  readonly options: readonly string[];
}

type Shell = "bash" | "zsh" | "fish";

const writers: Readonly<Record<Shell, (words: readonly CompletionWords[]) => string>> = {
  bash: forBash,
  zsh: forZsh,
  fish: forFish,
};

/** Prints the completion of a shell. It is made of the list of commands, so that it knows every option. */
export function completionCommand(loadAll: () => Promise<readonly (readonly [string, Command])[]>): Command {
  return {
    usage,
    description: "prints the completion of a shell: source <(holdfast completion bash)",
    options: {
      bash: "for ~/.bashrc: source <(holdfast completion bash)",
      zsh: "for ~/.zshrc: source <(holdfast completion zsh)",
      fish: "holdfast completion fish > ~/.config/fish/completions/holdfast.fish",
    },
    run: async ([shell = ""], terminal) => {
      if (!isShell(shell)) throw cliErrors.commandMisused(`There is no completion for "${shell}".`, usage);
      const words = (await loadAll()).map(([name, command]) => wordsOf(name, command));
      terminal.print(writers[shell](words));
      return 0;
    },
  };
}

function isShell(text: string): text is Shell {
  return Object.hasOwn(writers, text);
}

/** `--port N` and `-p, --port N` are both the option `--port`. */
function wordsOf(name: string, { description, options }: Command): CompletionWords {
  const found = Object.keys(options).flatMap((option) => /--[a-z][a-z-]*/.exec(option)?.[0] ?? []);
  return { name, description, options: [...new Set([...found, "--help"])] };
}

function forBash(words: readonly CompletionWords[]): string {
  return `_holdfast() {
  local word="\${COMP_WORDS[COMP_CWORD]}" offered=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    offered="${words.map(({ name }) => name).join(" ")}"
  else
    case "\${COMP_WORDS[1]}" in
${words.map(({ name, options }) => `      ${name}) offered="${options.join(" ")}" ;;`).join("\n")}
    esac
  fi
  if [ "$COMP_CWORD" -eq 1 ] || [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$offered" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -F _holdfast holdfast`;
}

function forZsh(words: readonly CompletionWords[]): string {
  return `#compdef holdfast
_holdfast() {
  local -a offered
  if (( CURRENT == 2 )); then
    offered=(
${words.map(({ name, description }) => `      ${quoted(`${name}:${description}`)}`).join("\n")}
    )
    _describe command offered
    return
  fi
  case $words[2] in
${words.map(({ name, options }) => `    ${name}) offered=(${options.join(" ")}) ;;`).join("\n")}
  esac
  if [[ $PREFIX == -* ]]; then compadd -- $offered; else _files; fi
}
compdef _holdfast holdfast`;
}

function forFish(words: readonly CompletionWords[]): string {
  return words
    .flatMap(({ name, description, options }) => [
      `complete -c holdfast -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
      ...options.map((option) => `complete -c holdfast -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`),
    ])
    .join("\n");
}

/** All three shells take a text in single quotes as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "’")}'`;
}
