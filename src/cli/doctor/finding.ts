/** Result of one check. A `notice` may be intended; `bad` prevents the application from working. */
export interface DoctorFinding {
  kind: "good" | "notice" | "bad";
  about: string;
  message: string;
}
