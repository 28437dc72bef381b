import { plainText } from "#errors";

/** Where a command prints. What it prints may come from anyone, so nothing of it is obeyed by a terminal. */
export interface Terminal {
  /** What was asked for: one line, or several. */
  print(text: string): void;
  /** Whole lines with their ends, as a log hands them over. */
  write(lines: string): void;
  /** What goes beside it: warnings and failures. */
  warn(text: string): void;
  /** Whether something could not be printed: the disk of a file is full. */
  readonly hasFailed: boolean;
}

export function warnLine(text: string): void {
  process.stderr.write(`${plainText(text)}\n`);
}

/** Of this process. A reader that has gone, as after `| head`, ends nothing. */
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
