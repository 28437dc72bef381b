/** What is asked of a socket beside its bytes: client, scheme, and a time limit, which memory does not need. */
export function socketFacts(remoteAddress: string, isEncrypted: boolean): object {
  return { remoteAddress, setTimeout: () => undefined, ...(isEncrypted && { encrypted: true }) };
}
