import type { Texts } from "./texts.ts";

/** The texts of `english.ts` in German. */
export const german: Texts = {
  // Pages for errors and missing pages.
  applicationError: "Anwendungsfehler",
  serverException: "Auf dem Server ist ein Fehler aufgetreten.",
  clientException: "Im Browser ist ein Fehler aufgetreten.",
  pageNotFound: "Seite nicht gefunden",
  noPageAt: "Unter {path} gibt es keine Seite.",
  signInNeeded: "Anmeldung nötig",
  onlySignedIn: "Diese Seite ist nur für angemeldete Besucher.",
  notAllowed: "Nicht erlaubt",
  accountMayNot: "Ihr Konto darf diese Seite nicht sehen.",
  addressWrong: "Adresse nicht verstanden",
  addressWrongValue: "Ein Teil der Adresse hat einen Wert, den diese Seite nicht verwenden kann.",
  tooMuchSent: "Zu viel gesendet",
  formTooLarge: "Das Formular war größer, als diese Seite annimmt.",
  formNotTaken: "Formular nicht angenommen",
  noSuchFiles: "Diese Seite nimmt keine Dateien dieser Art an.",
  notAvailable: "Nicht verfügbar",
  cannotBeShown: "Diese Seite kann jetzt nicht angezeigt werden.",
  redirectCircle: "Adresse führt im Kreis",
  redirectCircleText: "Die Seiten hier verweisen immer wieder aufeinander.",
  doesNotLoad: "Seite lädt nicht",
  doesNotLoadText: "Sie wurde mehrmals nacheinander geladen, jedes Mal ohne Erfolg.",
  digest: "Fehlercode",
  copy: "Kopieren",
  copied: "Kopiert",
  notCopied: "Markiert, nicht kopiert",
  alreadyReported: "Schon gemeldet.",
  seeRepaired: "Nachsehen, ob es repariert ist",
  whatWereYouDoing: "Was haben Sie gerade getan?",
  sendNote: "Notiz senden",
  waysOut: "Auswege",
  reload: "Neu laden",
  back: "Zurück",
  upTo: "Nach oben zu {path}",
  home: "Startseite",

  // The page for a visitor who has a digest.
  answerKnown: "Wir wissen davon",
  answerKnownText: "Dieser Fehler wurde uns gemeldet, als er auftrat. Er ist noch nicht repariert.",
  answerInRepair: "Es wird gerade repariert",
  answerInRepairText: "Wir arbeiten daran. Bitte sehen Sie später noch einmal nach.",
  answerRepaired: "Es ist repariert",
  answerRepairedText: "Bitte versuchen Sie noch einmal, was Sie tun wollten.",
  answerUnknown: "Wir kennen diesen Code (noch) nicht",
  answerUnknownText: "Nach einem Fehler kann es eine Minute dauern, bis sein Code hier bekannt ist.",
  anotherCode: "Ein anderer Code",
  lookUp: "Nachsehen",
  tooManyCodes: "Zu viele Codes",
  tooManyCodesText:
    "Von Ihrer Adresse wurde nach zu vielen Codes gefragt. Bitte versuchen Sie es in {seconds} Sekunden noch einmal.",

  // What became of a note or of feedback.
  thanks: "Danke",
  noteKept: "Ihre Notiz wurde bei dem Fehler gespeichert, zu dem sie gehört.",
  feedbackReceived: "Wir haben erhalten, was Sie geschrieben haben.",
  notSent: "Nicht gesendet",
  notKeptNow: "Es konnte nicht gespeichert werden. Bitte versuchen Sie es später noch einmal.",
  noText: "Es war kein Text darin.",
  sentTooOften: "Von Ihrer Adresse kam zu viel. Bitte versuchen Sie es in {seconds} Sekunden noch einmal.",

  // Parts of a page.
  partMissing: "Auf dem Server ist ein Fehler aufgetreten; ein Teil dieser Seite fehlt.",
  partNotLoaded: "Dieser Teil der Seite konnte nicht geladen werden.",
  received: "Was Sie gesendet haben, ist angekommen. Nur diese Seite konnte nicht angezeigt werden.",

  // Requests that no page answers.
  busy: "Ausgelastet",
  busyText: "Im Moment ist zu viel zu tun. Die Seite wird in einigen Sekunden noch einmal versucht.",
  refused: "Abgelehnt ({status})",
  refusedAddress: "Diese Adresse wird nicht verstanden.",
  refusedMethod: "Diese Adresse nimmt diese Methode nicht an.",
  refusedSite: "Diese Anfrage kam von einer anderen Website.",

  // Forms.
  notTaken: "Das wurde nicht angenommen.",
  signInElsewhere: "Melden Sie sich in einem anderen Tab an und senden Sie dies dann noch einmal.",
  tooLarge: "Das ist zu groß.",
  somebodyElse: "Inzwischen hat sich jemand anderes angemeldet.",
  mayBeReceived: "Das ist vielleicht angekommen. Sehen Sie nach, bevor Sie es noch einmal senden.",
  takesLong: "Das ist angekommen und dauert länger.",
  keptTitle: "Behalten",
  keptUnder: "Wir haben behalten, was Sie gesendet haben, unter {digest}. Sie müssen es nicht noch einmal senden.",
  keptDone: "Was Sie gesendet haben und wir unter {digest} behalten hatten, ist inzwischen erledigt.",
  cannotKeep:
    "Das kann jetzt nicht angenommen werden, und nichts davon wurde getan. Was Sie eingegeben haben, ist noch da.",
  stillHere: "Was Sie eingegeben haben, ist noch da.",

  // A lost connection.
  connectionLostPage: "Verbindung verloren. Es wird weiter versucht.",
  connectionLostForm: "Verbindung verloren. Ihre Eingaben bleiben erhalten.",
  retry: "Noch einmal",
  lostUnknown: "Verbindung verloren. Ob dies angekommen ist, ist unklar. Ihre Eingaben bleiben erhalten.",
  sentAgain: "Es wird noch einmal gesendet, falls es nicht angekommen ist.",
  willFindOut: "Das klärt sich, sobald die Verbindung wieder da ist.",
  lostNotReceived: "Verbindung verloren. Dies ist nicht angekommen. Ihre Eingaben bleiben erhalten.",
  lostMaybe:
    "Verbindung verloren. Dies ist vielleicht angekommen. Sehen Sie nach, bevor Sie es noch einmal senden. Ihre Eingaben bleiben erhalten.",
  stillSending: "Wird noch gesendet. Ihre Eingaben bleiben erhalten.",
  leaveForm: "Ihre Eingaben sind nicht gespeichert. Diese Seite verlassen?",
  discard: "Verwerfen",
  sendWhenPossible: "Senden, sobald es geht",
  sendAgain: "Noch einmal senden",
  openInNewTab: "Die Seite in einem neuen Tab öffnen",

  // What an earlier visit has left.
  returnReceived: "Was Sie am {when} gesendet haben, ist angekommen.",
  returnNotReceived: "Was Sie am {when} gesendet haben, ist nicht angekommen.",
  returnEnterAgain: "Passwörter und Dateien müssen neu eingegeben werden.",
  returnMaybe: "Es ist unklar, ob angekommen ist, was Sie am {when} gesendet haben.",
  returnNotTaken: "Was Sie am {when} gesendet haben, wurde nicht angenommen.",
  returnOther:
    "Etwas, das am {when} von diesem Browser gesendet wurde, ist nicht angekommen. Es wird nur für die Person gesendet, die da angemeldet war.",
  returnGone: "Die Seite nimmt es nicht mehr an.",
  returnCode: "Wenn Sie danach fragen, nennen Sie den Code {digest}.",
  returnRepaired: "Was am {when} nicht ging, geht jetzt.",
  continueThere: "Dort weitermachen",
  openForm: "Formular öffnen",
  copyTyped: "Eingaben kopieren",
  close: "Schließen",
};
