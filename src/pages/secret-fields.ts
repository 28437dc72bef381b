/** Names of fields whose values are neither sent back nor kept: passwords, codes and cards. */
export const secretField: RegExp = /password|passwd|secret|token|card|cvc/i;
