/** One thing that was looked at. `notice` may be as it should be; `bad` keeps the application from working. */
export interface DoctorFinding {
  kind: "good" | "notice" | "bad";
  about: string;
  says: string;
}
