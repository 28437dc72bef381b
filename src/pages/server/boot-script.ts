import { leftEntryKey, neverStoredType, noDraft, secretContent, secretField } from "../draft-fields.ts";
import { draftsKey } from "../drafts-key.ts";
import { carriedKey, inputGlobal } from "../early-input.ts";
import { answeredCookie, hydrationElementId, keyField, slotField } from "../page-data.ts";
import type { Assets } from "../parts.ts";

/**
 * The one inline script of a page without late values: constant for a build, so that the policy of a cacheable page can
 * allow it by hash.
 */
export function bootScript(
  { entry, prefix }: Pick<Assets, "entry" | "prefix">,
  hasForms: boolean,
  allowedBy: "nonce" | "hash",
): string {
  const address = JSON.stringify(entry);
  const load = prefix === undefined ? loadEntry(address, allowedBy) : loadFromElsewhere(prefix, address, allowedBy);
  return `${followHistory}${hasForms ? keepInput : ""}${load}`;
}

/**
 * A file that did not arrive is requested again after 2, 4, 8 … seconds: the page may show data that its own form has
 * changed meanwhile, and only the code asks for that.
 */
function loadEntry(entry: string, allowedBy: "nonce" | "hash"): string {
  if (allowedBy === "hash") return `{let e=${entry},o=e=>e;${importOnce}}`;
  return `{let i=t=>import(${entry}).catch(e=>{setTimeout(i,t,2*t);throw e});i(2e3)}`;
}

/**
 * Under a policy that allows this script by its hash, `'strict-dynamic'` refuses what it imports unless that was
 * preloaded, but not the elements that it inserts: they are used for every attempt after the first. The first is an
 * import, because an element delays the load event of a document.
 */
const importOnce = [
  'let i=(t,u,v)=>{let s=document.createElement("script");s.type="module";s.src=u;',
  "s.onerror=()=>setTimeout(i,t,2*t,v,u);document.head.append(s)};",
  "import(e).catch(x=>{setTimeout(i,2e3,4e3,o(e),e);throw x})",
].join("");

/**
 * The same for files at another origin. What does not arrive from there is requested from the application, which has
 * the same files: styles that have failed by now, and then the code, in turns. A module imports others relative to
 * itself, so all of the code comes from one place.
 */
function loadFromElsewhere(prefix: string, entry: string, allowedBy: "nonce" | "hash"): string {
  return [
    `{let p=${JSON.stringify(prefix)},o=u=>u.slice(p.length);`,
    "for(let l of document.querySelectorAll('link[rel=stylesheet]')){",
    "let k;try{k=l.sheet.cssRules.length}catch{}k||l.href.startsWith(p)&&(l.href=o(l.href))}",
    `let e=${entry};`,
    allowedBy === "hash"
      ? importOnce
      : "let i=(t,u,v)=>import(u).catch(e=>{setTimeout(i,t,2*t,v,u);throw e});i(2e3,e,o(e))",
    "}",
  ].join("");
}

/**
 * Between history entries that an earlier document of this tab has pushed, the browser moves without loading anything.
 * Until hydration, and forever if the code fails to load, a step to another page loads that page. A step that the
 * earlier document asked for may happen before this script runs: then the address is not that of the document, which
 * only the navigation entry still knows.
 */
const followHistory = [
  '{let l=location,a=u=>(u+"").split("#")[0],h=a(performance.getEntriesByType?.("navigation")[0]?.name||l);',
  "(onpopstate=()=>a(l)==h||l.reload())()}",
].join("");

/** The history entry gets its number here, because the next document in it must find the text. */
const numberEntry = [
  "{let s=history.state,n=s&&s.holdfast;",
  `if(!n){try{let[p,l,u]=sessionStorage["${leftEntryKey}"].split(" ");n=l==history.length&&u==location&&+p}catch{}`,
  'history.replaceState({...s,holdfast:n||=Math.floor(performance.timeOrigin)},"")}',
].join("");

/**
 * Remembers typed fields, the time of the last input (text that is newer than a successful submission is kept), and the
 * forms that the browser itself posts. If the document is left before the response, for example by a reload, the next
 * one asks for the outcome: the action may run after its page was loaded. All forms of a document have one key, so
 * another text gets a number after it.
 *
 * The browser asks before a form with `confirmLeave` is left, unless it was sent. It does not for a step between
 * entries of an earlier document: for who stays, the address would be that of the other page.
 */
const noteInput = [
  'let K,L=[],N=f=>new URL(f.getAttribute("action")||"",location),G=x=>x.closest("[data-confirm-leave]"),',
  `y=self.${inputGlobal}={typed:new Set,posted:{},ask:e=>{onpopstate&&(history.state?.holdfast??n)!=n||`,
  "[...y.typed].some(x=>(x=G(x))&&x!=y.last)&&e.preventDefault()}},A=performance.timeOrigin;",
  'oninput=e=>{y.typed.add(y.last=e.target);G(y.last)&&addEventListener("beforeunload",y.ask);A=Date.now()};',
  "onsubmit=e=>{",
  `let f=y.last=e.target,k=f.querySelector("[name=${keyField}]"),q=f.querySelector("[name=${slotField}]"),u=N(f),a=u.pathname,d,i,w;`,
  "if(k&&q&&!e.defaultPrevented){",
  `d=new FormData(f,e.submitter);d.delete("${keyField}");d=new URLSearchParams(d)+"";`,
  'i=L.indexOf(d);i<0&&(i=L.push(d)-1);k.value=(K||=k.value)+(i||"");u.search||=location.search;',
  'w=a+" "+q.value;y.posted[w]={name:w,nth:[...document.forms].filter(x=>N(x).pathname==a).indexOf(f),slot:q.value,',
  "address:u.href,entry:n,key:k.value,attempt:1,pressedAt:Date.now(),isEdited:!1}}};",
].join("");

/**
 * Keeps input when the document is left before the code that keeps drafts has loaded. `Drafts` in `browser/drafts`
 * replaces this, reads what it wrote and has the same rules. React writes the value of a controlled field into its
 * default, so typed fields are remembered. Until hydration, which removes `onpopstate`, the browser may have moved to
 * another entry, but the text belongs to this one.
 */
const keepText = [
  "onpagehide=()=>{try{let S=sessionStorage,",
  `o=Object.values(y.posted).filter(x=>!(document.cookie+";").includes("${answeredCookie}="+x.key+";"));`,
  // An earlier document may have left something that no code has read yet.
  `if(o[0]){let c=JSON.parse(S["${carriedKey}"]||'{"url":"","outcomes":[],"open":[]}');c.open.push(...o);`,
  `S["${carriedKey}"]=JSON.stringify(c)}`,
  `let k="${draftsKey}",d=JSON.parse(S[k]||"[]"),c={},p=onpopstate?n:history.state.holdfast,`,
  `t=JSON.parse(document.getElementById("${hydrationElementId}").textContent.split("\\n")[0]).tag;`,
  `S["${leftEntryKey}"]=[p,history.length,location].join(" ");`,
  "for(let f of document.forms){",
  "let v=[],u={},a=N(f).pathname,i=c[a]=-~c[a],",
  `q=f.querySelector("[name=${slotField}]"),w=q&&a+" "+q.value;`,
  'for(let e of f.querySelectorAll("input,textarea,select")){',
  "let m=e.name,j=u[m]=-~u[m],o=e.options&&[...e.options],b=/^(checkbox|radio)$/.test(e.type),",
  "h=e.multiple||o&&o.some(x=>x.defaultSelected);",
  `m&&!${neverStoredType}.test(e.type)&&!${secretField}.test(m)&&`,
  `!${secretContent}.test(e.getAttribute("autocomplete"))&&!e.closest("${noDraft}")&&`,
  "(y.typed.has(e)||(o?o.some((x,z)=>x.selected!=(h?x.defaultSelected:!z)):b?e.checked!=e.defaultChecked:e.value!=e.defaultValue))&&",
  "v.push([m,j-1,o?o.filter(x=>x.selected).map(x=>x.value):b?e.checked:e.value])}",
  "if(w&&v[0]){d=d.filter(x=>x.place!=p||x.name!=w);",
  "d.push({place:p,name:w,nth:i-1,tag:t,at:A,fields:v})}}",
  "S[k]=JSON.stringify(d)}catch{}}}",
].join("");

const keepInput = `${numberEntry}${noteInput}${keepText}`;
