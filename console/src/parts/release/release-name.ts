/** Shortens a whole git commit as git does, also one with the mark of a changed tree. Any other name is unchanged. */
export function shownRelease(name: string): string {
  return /^[0-9a-f]{40}(?:-|$)/.test(name) ? name.slice(0, 12) : name;
}
