/** No secret, but it lives where secrets live: should it ever be found in a file for browsers, a guard has failed. */
export const canary = `${"canary"}-of-the-tour-7f3a91c4`;
