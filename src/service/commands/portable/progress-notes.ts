/** Lines between two notes. */
const linesPerNote = 20_000;

/** Prints now and then how many lines are done. */
export function progressNotes(print: (text: string) => void): (lines: number) => void {
  let noted = 0;
  return (lines) => {
    if (lines - noted < linesPerNote) return;
    noted = lines;
    print(`${lines} lines so far.`);
  };
}
