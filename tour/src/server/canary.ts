/** Not a secret, but stored like one: if it is ever found in a browser file, a guard has failed. */
export const canary = `${"canary"}-of-the-tour-7f3a91c4`;
