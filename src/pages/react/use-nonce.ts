import { usePage } from "./page-context.ts";

/**
 * The nonce of this document, for libraries that write `<style>` elements: the policy allows those that have it.
 * Undefined in a page that may be cached, whose policy has no nonce.
 *
 * @example
 * const nonce = useNonce();
 * const cache = useMemo(() => createCache({ key: "css", ...(nonce !== undefined && { nonce }) }), [nonce]);
 */
export function useNonce(): string | undefined {
  const { nonce } = usePage();
  return typeof document === "undefined" ? nonce : nonceOfDocument();
}

/** Browsers hide the attribute from selectors of styles, and keep the value in the property. */
function nonceOfDocument(): string | undefined {
  return document.querySelector<HTMLElement>("script[nonce]")?.nonce || undefined;
}
