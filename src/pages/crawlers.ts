/**
 * Programs that read pages but do not click, and often run no scripts. They get the complete document and
 * prefetch nothing.
 */
const crawler = /bot|crawl|spider|slurp|facebookexternalhit|embedly|preview|whatsapp|telegram|lighthouse/i;

export function isCrawler(userAgent: string): boolean {
  return crawler.test(userAgent);
}
