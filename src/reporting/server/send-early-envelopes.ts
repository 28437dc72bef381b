import { type BrowserSettings, reportsKey, storedReportsBytes } from "../early-errors.ts";
import { readPattern } from "../pattern-text.ts";
import { writeShortScrub } from "../scrub/write-short-scrub.ts";
import { browserSdk } from "../sdk.ts";

/**
 * The end of the first script where no server of the application takes its errors: a page that ends before its reporter
 * has loaded writes an envelope for each. It takes both ways of the reporter: a beacon, and storage for the next visit,
 * because the page does not learn whether the beacon succeeds. The service deduplicates them by id.
 *
 * `l` are the errors, `b` what the reporter shares, `s` removes secrets. Minified by hand, as the rest of the script.
 */
export function sendEarlyEnvelopes({ scrub = [], keepAddresses }: BrowserSettings): string {
  const clean = writeShortScrub({ rules: scrub.map(readPattern), keepAddresses: keepAddresses === true });
  return `on("pagehide",()=>{let s=${clean},${sending}`;
}

const sending =
  // The frames of a stack of V8, Firefox or Safari, the innermost first. They are cleaned one by one, so that a secret
  // in the message does not cost them.
  String.raw`p=x=>String(x).split("\n").flatMap(x=>(x=/^(?:at (?:async )?)?(?:([^(@]*?) ?[(@])?([^\s(]+?):(\d+):(\d+)\)?$/.exec(x.trim()))?{function:s(x[1]||"?"),filename:s(x[2]),lineno:+x[3],colno:+x[4],in_app:!0}:[]);` +
  // What one of them makes fail does not cost the others.
  "for(let e of l.splice(0))try{" +
  `let g=Object.entries(self._sentryDebugIds||{}).map(([x,d])=>({type:"sourcemap",code_file:p(x)[0]?.filename,debug_id:d})),` +
  `r=e.thrown,t=r||{},v="",n="Error",f=[],d=e.during||e.kind&&"event",y=b.settings,` +
  `i=e.id||[...crypto.getRandomValues(new Uint8Array(16))].map(x=>(x+256).toString(16).slice(1)).join("");` +
  // An error that throws when it is read is sent with what was read until then.
  'try{v=s(t.message||e.message||r);n=s(t.name||n);f=p(String(t.stack||"").slice(0,1e3)).reverse()}catch{}' +
  `f[0]||!e.file||(f=[{function:"?",filename:s(e.file),lineno:e.line,colno:e.column,in_app:!0}]);` +
  `let x=JSON.stringify({event_id:i,sdk:${JSON.stringify(browserSdk)},sent_at:new Date})+'\\n{"type":"event"}\\n'+` +
  `JSON.stringify({event_id:i,timestamp:e.at/1e3,platform:"javascript",level:"error",release:y.release,environment:y.environment,` +
  `transaction:e.route,request:{url:s(e.url||location.href)},tags:{side:"browser",during:d,reporter:"missing"},` +
  `exception:{values:[{type:n,value:v,mechanism:{type:e.kind?"auto.browser.global_handlers.on"+e.kind:d?"auto.holdfast."+d:"generic",handled:!d},stacktrace:f[0]&&{frames:f}}]},` +
  `contexts:d&&{holdfast:{route:e.route,during:d,visitor_saw:e.visitorSaw||"page"}},` +
  `debug_meta:{images:g.filter(x=>f.some(y=>y.filename==x.code_file))},sdk:${JSON.stringify(browserSdk)}})+"\\n";` +
  // Either may be forbidden, or full.
  `try{let o=localStorage,q=JSON.parse(o["${reportsKey}"]||"[]");q.push({text:x,category:"error"});` +
  `q=JSON.stringify(q);q.length<${storedReportsBytes}&&(o["${reportsKey}"]=q)}catch{}` +
  "navigator.sendBeacon(y.to,x)}catch{}})";
