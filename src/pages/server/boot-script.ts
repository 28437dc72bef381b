import { leftEntryKey, neverStoredType, noDraft, secretContent, secretField, typedGlobal } from "../draft-fields.ts";
import { draftsKey } from "../drafts-key.ts";
import { hydrationElementId, slotField } from "../page-data.ts";

/**
 * The one inline script of a page without late values: constant for a build, so that the policy of a cacheable page can
 * allow it by hash.
 */
export function bootScript(entry: string, hasForms: boolean): string {
  return `${followHistory}${hasForms ? keepText : ""}import(${JSON.stringify(entry)})`;
}

/**
 * Between history entries that an earlier document of this tab has pushed, the browser moves without loading anything.
 * Until hydration, and forever if the code fails to load, a step to another page loads that page.
 */
const followHistory = "{let l=location,a=()=>l.pathname+l.search,h=a();onpopstate=()=>a()==h||l.reload()}";

/**
 * Keeps typed text when the document is left before the code that keeps drafts has loaded. `Drafts` in
 * `browser/drafts` replaces this, reads what it wrote and has the same rules. The history entry gets its number here,
 * because the next document in it must find the text. React writes the value of a controlled field into its default,
 * so typed fields are remembered. Until hydration, which removes `onpopstate`, the browser may
 * have moved to another entry, but the text belongs to this one.
 */
const keepText = [
  "{let s=history.state,n=s&&s.holdfast;",
  `if(!n){try{let[p,l,u]=sessionStorage["${leftEntryKey}"].split(" ");n=l==history.length&&u==location&&+p}catch{}`,
  'history.replaceState({...s,holdfast:n||=Math.floor(performance.timeOrigin)},"")}',
  `let y=self.${typedGlobal}=new Set;oninput=e=>y.add(e.target);`,
  "onpagehide=()=>{try{",
  `let S=sessionStorage,k="${draftsKey}",d=JSON.parse(S[k]||"[]"),c={},p=onpopstate?n:history.state.holdfast,`,
  `t=JSON.parse(document.getElementById("${hydrationElementId}").textContent.split("\\n")[0]).tag;`,
  `S["${leftEntryKey}"]=[p,history.length,location].join(" ");`,
  "for(let f of document.forms){",
  'let v=[],u={},a=new URL(f.getAttribute("action")||"",location).pathname,i=c[a]=-~c[a],',
  `q=f.querySelector("[name=${slotField}]"),w=q&&a+" "+q.value;`,
  'for(let e of f.querySelectorAll("input,textarea,select")){',
  "let m=e.name,j=u[m]=-~u[m],o=e.options&&[...e.options],b=/^(checkbox|radio)$/.test(e.type),",
  "h=e.multiple||o&&o.some(x=>x.defaultSelected);",
  `m&&!${neverStoredType}.test(e.type)&&!${secretField}.test(m)&&`,
  `!${secretContent}.test(e.getAttribute("autocomplete"))&&!e.closest("${noDraft}")&&`,
  "(y.has(e)||(o?o.some((x,z)=>x.selected!=(h?x.defaultSelected:!z)):b?e.checked!=e.defaultChecked:e.value!=e.defaultValue))&&",
  "v.push([m,j-1,o?o.filter(x=>x.selected).map(x=>x.value):b?e.checked:e.value])}",
  "if(w&&v[0]){d=d.filter(x=>x.place!=p||x.name!=w);",
  "d.push({place:p,name:w,nth:i-1,tag:t,at:Date.now(),fields:v})}}",
  "S[k]=JSON.stringify(d)}catch{}}}",
].join("");
