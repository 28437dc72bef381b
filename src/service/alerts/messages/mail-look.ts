/** Colours of a mail on a light ground. */
export const mailColors = {
  frame: "#f2f4f3",
  panel: "#ffffff",
  sunk: "#f5f7f6",
  hair: "#e6eae8",
  ink: "#121917",
  soft: "#4c5752",
  faint: "#626d68",
  accent: "#0a6b52",
  onAccent: "#ffffff",
  wash: "#e8f3ef",
  bad: "#b8241b",
  badFill: "#dd4233",
  badWash: "#fdeeec",
  warn: "#855300",
  warnWash: "#fbf3e2",
} as const;

/** Outlook shows its oldest font if it does not know the first one. */
export const mailFonts = {
  sans: "'Segoe UI',-apple-system,Roboto,Helvetica,Arial,sans-serif",
  mono: "Consolas,Menlo,'DejaVu Sans Mono',monospace",
} as const;

/** Mail programs in a dark theme use these; others ignore them or choose colours by themselves. */
export const mailStyles = `@media (prefers-color-scheme: dark) {
.frame { background: #0a0d0c !important; color: #e9eeeb !important }
.panel { background: #111514 !important; border-color: #212725 !important; color: #e9eeeb !important }
.ink { color: #e9eeeb !important } .soft { color: #a9b4ae !important } .faint { color: #87938d !important }
.sunk { background: #0c100e !important } .hair { border-color: #212725 !important }
.sunk-edge { border-color: #0c100e !important } .edge { border-color: #f0685b !important }
.bad { background: #2b1513 !important; color: #ff8b7e !important } .failing { background: #2b1513 !important }
.warn { background: #261d0c !important; color: #e8b350 !important }
.calm { background: #12261f !important; color: #4fcfa6 !important }
.button { background: #4fcfa6 !important; color: #04231a !important }
}
@media (max-width: 480px) { .panel > tbody > tr > td { padding: 16px !important } }`;
