import { type BrowserSettings, earlyAtMost, earlyGlobal, earlyPath } from "../early-errors.ts";

/**
 * Runs before everything else in a document and keeps the errors of the page until its reporter is there. When the page
 * goes away before that, it posts them itself. Written small by hand: it is in every document, and nothing minifies it
 * on the way.
 */
export function earlyScript(settings: BrowserSettings): string {
  const json = JSON.stringify(settings).replaceAll("<", "\\u003c");
  return (
    `{let on=addEventListener,l=[],b=self.${earlyGlobal}={settings:${json},list:l},` +
    `k=e=>{e={kind:e.type,thrown:e.error??e.reason,message:e.message,file:e.filename,line:e.lineno,column:e.colno,at:Date.now(),url:location.href};` +
    `b.tell?b.tell(e):l.length<${earlyAtMost}&&l.push(e)};` +
    `on("error",k);on("unhandledrejection",k);` +
    `on("pagehide",()=>{l[0]&&navigator.sendBeacon(b.settings.to+"${earlyPath}",JSON.stringify(l.splice(0).map(` +
    // One that throws at being read must not cost the others, nor one that is too long for a beacon.
    `e=>{let r=e.thrown,t=r||{},s=x=>String(x).slice(0,1e3);e.thrown=0;` +
    `try{e.message=s(t.message||e.message||r);e.stack=s(t.stack);e.name=t.name&&s(t.name)}catch{}return e})))})}`
  );
}
