/**
 * Programs that read pages and neither run all scripts nor click: they get everything in its place, and fetch nothing
 * ahead.
 */
const crawler = /bot|crawl|spider|slurp|facebookexternalhit|embedly|preview|whatsapp|telegram|lighthouse/i;

export function isCrawler(userAgent: string): boolean {
  return crawler.test(userAgent);
}
