/**
 * Secrets that are recognizable by their shape alone. Reporting removes them, and so does the service for other
 * clients.
 */

/** Keys with a vendor prefix: Stripe and OpenAI, GitHub, GitLab, Slack, npm, SendGrid, Amazon, Google. */
export const namedKeys: readonly RegExp[] = [
  /\b(?:sk|pk|rk|whsec|gh[oprsu]|github_pat|glpat|xox[a-z]|xapp)[-_][\w-]{16,}/g,
  /\b(?:npm_[A-Za-z0-9]{36}|SG\.[\w-]{16,64}\.[\w-]{16,}|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[\w-]{35})(?![\w-])/g,
];

/** 13 to 19 digits, grouped or not; card numbers are those with a card's prefix and check digit. Times begin with 1. */
const manyDigits = /(?<![\da-f])\d(?:[ .-]?\d){12,18}(?![\da-f])/g;

export function withoutCardNumbers(text: string, instead: string): string {
  return text.replace(manyDigits, (digits) => (isCardNumber(digits) ? instead : digits));
}

/** Checks the prefix of a card network and Luhn's check digit. */
export function isCardNumber(text: string): boolean {
  const digits = text.replace(/\D/g, "");
  if (digits.length < 13 || digits.length > 19 || !/^(?:4|5[1-8]|6|2[2-7]|3[04-9])/.test(digits)) return false;
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    sum += at % 2 === 0 ? digit : digit * 2 > 9 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

/** One id in two thousand is all digits, and one in ten of those has the check digit of a card. */
export function isSpanId(name: string, value: string): boolean {
  return /^(?:parent_)?span_id$/.test(name) && /^[\da-f]{16}$/.test(value);
}
