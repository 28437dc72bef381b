/** A comment that names more issues is a list, and each one named gets a row. */
const mostMentions = 20;

const code = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;
const mention = /(?<![\p{L}\p{N}_&/#])#(\d{1,9})(?![\w-])/gu;

/** Numbers of issues that a comment names, such as `#12`. In code they mean something else. */
export function mentionsIn(text: string): number[] {
  const numbers = [...text.replace(code, " ").matchAll(mention)].map(([, number]) => Number(number));
  return [...new Set(numbers)].filter((number) => number > 0).slice(0, mostMentions);
}
