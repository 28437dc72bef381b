import type { ReactNode } from "react";

/** A value of structured data. Dates are written as text. */
export type JsonLdValue = string | number | boolean | null | undefined | Date | JsonLdThing | readonly JsonLdValue[];

/** A thing as https://schema.org describes it. */
export interface JsonLdThing {
  "@type": string | readonly string[];
  readonly [property: string]: JsonLdValue;
}

export interface JsonLdProps {
  data: JsonLdThing | readonly JsonLdThing[];
}

/**
 * Structured data of the page for search engines. It may contain any text.
 *
 * @example <JsonLd data={{ "@type": "Product", name: data.name, offers: { "@type": "Offer", price: data.price } }} />
 */
export function JsonLd({ data }: JsonLdProps): ReactNode {
  const context = { "@context": "https://schema.org" };
  const things = Array.isArray(data) ? { ...context, "@graph": data } : { ...context, ...data };
  // In JSON, a `<` occurs in texts only. Without any, no text can end the element or open a comment in it.
  const text = JSON.stringify(things).replaceAll("<", "\\u003c");
  // Browsers never run this type, so that the policy of the page does not apply to it.
  return <script type="application/ld+json">{text}</script>;
}
