import { type BrowserSettings, earlyGlobal, earlyPath } from "../early-errors.ts";

/**
 * Runs before everything else in a document and keeps the errors of the page until its reporter is there. When the page goes away before
 * that, it posts them itself. Written small by hand: it is in every document, and nothing minifies it on the way.
 */
export function earlyScript(settings: BrowserSettings): string {
  const json = JSON.stringify(settings).replaceAll("<", "\\u003c");
  return (
    `{let on=addEventListener,l=[],b=self.${earlyGlobal}={settings:${json},list:l},` +
    `k=(kind,thrown,e)=>{e={kind,thrown,message:e.message,file:e.filename,line:e.lineno,column:e.colno,at:Date.now(),url:location.href};` +
    `b.tell?b.tell(e):l.length<20&&l.push(e)};` +
    `on("error",e=>k("error",e.error,e));` +
    `on("unhandledrejection",e=>k("rejection",e.reason,e));` +
    `on("pagehide",()=>{!b.tell&&l[0]&&navigator.sendBeacon(b.settings.to+"${earlyPath}",JSON.stringify(l.splice(0).map(` +
    `e=>{let t=e.thrown||{};return{...e,thrown:0,name:t.name,message:t.message||e.message||String(e.thrown),stack:t.stack}})))})}`
  );
}
