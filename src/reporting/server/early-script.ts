import { type BrowserSettings, earlyAtMost, earlyGlobal, earlyPath } from "../early-errors.ts";
import { sendEarlyEnvelopes } from "./send-early-envelopes.ts";

/**
 * Runs first in a document and stores the page's errors until its reporter has loaded. If the page ends before, it
 * sends them itself. Minified by hand, because every document contains it and no tool processes it.
 */
export function earlyScript(settings: BrowserSettings): string {
  const json = JSON.stringify(settings).replaceAll("<", "\\u003c");
  return (
    `{let on=addEventListener,l=[],b=self.${earlyGlobal}={settings:${json},list:l},` +
    `k=e=>{e={kind:e.type,thrown:e.error??e.reason,message:e.message,file:e.filename,line:e.lineno,column:e.colno,at:Date.now(),url:location.href};` +
    `b.report?b.report(e):l.length<${earlyAtMost}&&l.push(e)};` +
    `on("error",k);on("unhandledrejection",k);` +
    `${URL.canParse(settings.to) ? sendEarlyEnvelopes(settings) : postEarly}}`
  );
}

/** The application's server makes reports of what it gets. */
const postEarly =
  `on("pagehide",()=>{l[0]&&navigator.sendBeacon(b.settings.to+"${earlyPath}",JSON.stringify(l.splice(0).map(` +
  // Neither an error that throws when it is read nor one too long for a beacon may lose the others.
  `e=>{let r=e.thrown,t=r||{},s=x=>String(x).slice(0,1e3);e.thrown=0;` +
  `try{e.message=s(t.message||e.message||r);e.stack=s(t.stack);e.name=t.name&&s(t.name)}catch{}return e})))})`;
