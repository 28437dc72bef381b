/** A release that is named by a whole git commit, as git itself shortens it for people; any other name as it is. */
export function shownRelease(name: string): string {
  return /^[0-9a-f]{40}$/.test(name) ? name.slice(0, 12) : name;
}
