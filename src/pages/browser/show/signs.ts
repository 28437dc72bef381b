import { languages } from "#routes/href";
import * as english from "../../texts/english.ts";
import { ownElement, removeOverlay } from "../own-element.ts";

/**
 * Shows a bar at the top of the window and sets `aria-busy` for screen readers. Styles are set through CSSOM, which
 * every Content Security Policy allows.
 */
export function showPending(pending: boolean): void {
  document.body.ariaBusy = pending ? "true" : null;
  if (!pending) removeOverlay("pending");
  else ownElement("pending", makeBar);
}

function makeBar(bar: HTMLElement): void {
  bar.ariaHidden = "true";
  bar.style.cssText =
    "position:fixed;z-index:2147483647;inset:0 0 auto;height:3px;color-scheme:light dark;background:light-dark(#0e6a4e,#4cc79a);transform-origin:0 0";
  if (matchMedia("(prefers-reduced-motion:reduce)").matches) return;
  // Slows down towards the time limit of a page and never looks complete.
  bar.animate({ scale: ["0 1", ".7 1", ".95 1"] }, { duration: 10_000, easing: "ease-out", fill: "forwards" });
}

/** Shown while the server is unreachable. The page beneath stays usable. */
export function showConnectionLost(lost?: "page" | "form", retry?: () => void): void {
  removeOverlay("connection");
  if (lost) ownElement("connection", (bar) => makeNotice(bar, lost, retry));
}

function makeNotice(bar: HTMLElement, lost: "page" | "form", retry: (() => void) | undefined): void {
  styleNotice(bar);
  bar.append(
    languages
      ? languages.text(lost === "form" ? "connectionLostForm" : "connectionLostPage")
      : lost === "form"
        ? english.connectionLostForm
        : english.connectionLostPage,
    noticeButton(languages ? languages.text("retry") : english.retry, retry),
  );
}

export function styleNotice(bar: HTMLElement): void {
  bar.role = "alert";
  bar.style.cssText =
    "position:fixed;z-index:2147483647;inset:auto 0 0;padding:8px 16px;text-align:center;font:16px/26px system-ui;color-scheme:light dark;background:light-dark(#14201b,#e6efe9);color:light-dark(#fbfcfb,#0d1512)";
}

export function noticeButton(label: string, press: (() => void) | undefined): HTMLButtonElement {
  const button = document.createElement("button");
  button.textContent = label;
  button.style.cssText =
    "min-height:44px;margin-left:16px;padding:0 16px;font:inherit;color:inherit;background:none;border:1px solid;border-radius:6px";
  button.onclick = press ?? null;
  return button;
}

/** The page for when nothing else can be shown: text and two links that need no code. */
export function lastResort(side: "server" | "client"): string {
  if (languages) {
    const { text, address } = languages;
    return `<h1>${text("applicationError")}</h1><p>${text(`${side}Exception`)}</p><a href="" data-hard>${text("reload")}</a> <a href="${address("/")}" data-hard>${text("home")}</a>`;
  }
  return `<h1>Application error</h1><p>A ${side}-side exception has occurred.</p><a href="" data-hard>Reload</a> <a href="/" data-hard>Home</a>`;
}

export function showLastResort(): void {
  document.body.innerHTML = `<main>${lastResort("client")}</main>`;
}
