import { href } from "holdfast";
import type { Cookies } from "holdfast/server";
import { readFilter } from "holdfast/service";
import { zoneCookie } from "../parts/time/zone.ts";

/** Of this browser. A cookie of it reaches the server with the first request, so that the first paint is right. */
export interface OwnChoices {
  /** Undefined: as the system has it. */
  theme: Theme | undefined;
  zone: string;
  /** Else it is that of the browser, as far as it is known yet. */
  isZoneChosen: boolean;
}

export type Theme = "light" | "dark";

// This prefix says that a cookie does not identify its visitor: changing it keeps the loaded pages.
const themeCookie = "holdfast-theme";
const chosenZoneCookie = "holdfast-chosen-zone";
const environmentCookie = "holdfast-environment";
const yearSeconds = 365 * 86_400;

export function choicesIn(cookies: Pick<Cookies, "get">): OwnChoices {
  const chosen = zoneNamed(cookies.get(chosenZoneCookie));
  return {
    theme: themeNamed(cookies.get(themeCookie)),
    zone: chosen ?? zoneNamed(cookies.get(zoneCookie)) ?? "UTC",
    isZoneChosen: chosen !== undefined,
  };
}

/** Undefined ends a choice. */
export function chooseTheme(cookies: Cookies, theme: Theme | undefined): void {
  keep(cookies, themeCookie, theme);
}

export function chooseZone(cookies: Cookies, zone: string | undefined): void {
  keep(cookies, chosenZoneCookie, zone);
}

/** The environment of an address, else the chosen one. An address with an empty one is about all. */
export function environmentIn(search: URLSearchParams, cookies: Pick<Cookies, "get">): string | undefined {
  const asked = search.get("environment") ?? cookies.get(environmentCookie) ?? "";
  return asked === "" || asked.length > longestEnvironment ? undefined : asked;
}

export function chooseEnvironment(cookies: Cookies, environment: string | undefined): void {
  keep(cookies, environmentCookie, environment?.slice(0, longestEnvironment));
}

/** As in reports. */
const longestEnvironment = 64;

/** Adds an environment to a filter that names none. */
export function withEnvironment(filter: string, environment: string | undefined): string {
  const isNamed = readFilter(filter).terms.some(({ field }) => field === "environment");
  return environment === undefined || isNamed ? filter : `${filter} environment:${JSON.stringify(environment)}`;
}

function keep(cookies: Cookies, name: string, value: string | undefined): void {
  const path = href("/");
  if (value === undefined) cookies.delete(name, { path });
  else cookies.set(name, value, { path, maxAge: yearSeconds });
}

export function themeNamed(text: string | undefined): Theme | undefined {
  return text === "light" || text === "dark" ? text : undefined;
}

const known = new Set<string>();

/** Returns the zone if this server knows it. */
export function zoneNamed(text: string | undefined): string | undefined {
  // The longest name has 32 characters.
  if (text === undefined || !/^[A-Za-z][\w/+-]{0,40}$/.test(text)) return undefined;
  if (known.has(text)) return text;
  try {
    new Intl.DateTimeFormat("sv", { timeZone: text });
  } catch {
    return undefined;
  }
  if (known.size < 1_000) known.add(text);
  return text;
}
