import { plainText } from "#errors";

/** Output of a command. Untrusted text is escaped, so that a terminal does not interpret it. */
export interface Terminal {
  /** Prints the result: one or several lines. */
  print(text: string): void;
  /** Prints complete lines with their line ends, such as those of a log. */
  write(lines: string): void;
  /** Prints warnings and failures to stderr. */
  warn(text: string): void;
  /** Whether printing failed, for example on a full disk. */
  readonly hasFailed: boolean;
}

export function warnLine(text: string): void {
  process.stderr.write(`${plainText(text)}\n`);
}

/** Opens the terminal of this process. A closed reader, as after `| head`, is no failure. */
export function openTerminal(): Terminal {
  let hasFailed = false;
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") hasFailed = true;
    });
  return {
    print: (text) => void process.stdout.write(`${plainText(text)}\n`),
    write: (lines) => void process.stdout.write(plainText(lines)),
    warn: warnLine,
    get hasFailed() {
      return hasFailed;
    },
  };
}
