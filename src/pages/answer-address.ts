/** Where a visitor with a digest learns whether the error is repaired. The host answers there, not the application. */
export const answersPath = "/_holdfast/answer";

export function answerAddress(digest: string): string {
  return `${answersPath}/${digest}`;
}
