/** Names of fields whose values are neither sent back nor kept: passwords, codes and cards. */
export const secretField: RegExp = /password|passwd|secret|token|card|cvc/i;

/** Types of fields that are never kept as a draft. */
export const neverStoredType: RegExp = /^(?:password|hidden|file|submit|button|image|reset)$/;

/** Values of `autocomplete` by which a field asks for something secret. */
export const secretContent: RegExp = /(?:^|[\s-])(?:cc-|one-time-code|password)/;

/** Fields inside such an element are never kept as a draft. */
export const noDraft = "[data-no-draft]";

/**
 * Key in `sessionStorage`: number of the history entry that was left last, length of the history, and address. A reload
 * that ends on the browser's own error page loses the entry's state; the next reload finds its number here.
 */
export const leftEntryKey = "holdfast-left";
