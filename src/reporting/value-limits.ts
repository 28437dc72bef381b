/** Limits of a reported value in depth, width and text length. */
export const valueLimits = {
  /** Longest text of a message; the service uses the same limit. */
  textLength: 8_192,
  valueDepth: 4,
  valueKeys: 50,
} as const;

export type ValueLimits = Readonly<Record<keyof typeof valueLimits, number>>;
