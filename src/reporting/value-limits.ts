/** How much of a value is reported, in depth and width, and of each text. */
export const valueLimits = {
  /** Longest text of a message; as the service cuts it. */
  textLength: 8_192,
  valueDepth: 4,
  valueKeys: 50,
} as const;

export type ValueLimits = Readonly<Record<keyof typeof valueLimits, number>>;
