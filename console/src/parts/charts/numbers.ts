/** 1234567 is `1.2 M`, which fits a column of counts. The exact number is its title. */
export function short(n: number): string {
  if (n < 10_000) return grouped(n);
  return n < 1_000_000 ? `${trim(n / 1_000)} k` : `${trim(n / 1_000_000)} M`;
}

/** 1234567 is `1,234,567`. `toLocaleString` loads the browser's locale data first: 40 ms on a laptop. */
export function grouped(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

export function milliseconds(ms: number): string {
  if (ms < 1) return ms < 0.005 ? "0 ms" : `${ms.toFixed(2)} ms`;
  if (ms < 999.5) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return ms < 60_000 ? `${(ms / 1_000).toFixed(2)} s` : `${trim(ms / 60_000)} min`;
}

export function bytes(n: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = n < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(n) / 3));
  return `${trim(n / 1_000 ** power)} ${units[power]}`;
}

export function percent(share: number, digits = 0): string {
  return `${(share * 100).toFixed(digits)} %`;
}

/** As a CSS percentage. */
export function styleShare(share: number): string {
  return `${(Math.min(1, Math.max(0, share)) * 100).toFixed(2)}%`;
}

export function many(n: number, one: string, more = `${one}s`): string {
  return `${grouped(n)} ${n === 1 ? one : more}`;
}

function trim(n: number): string {
  return n < 10 ? n.toFixed(1).replace(/\.0$/, "") : String(Math.round(n));
}
