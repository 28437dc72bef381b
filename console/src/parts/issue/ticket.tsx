import { type ActionRef, Form } from "holdfast";

interface TicketProps {
  ticket: string | undefined;
  /** Leads to a new ticket, if an owner has said where they are opened. */
  opens: string | undefined;
  /** Only for members. */
  action: ActionRef | undefined;
}

/** The ticket of an issue in another tool. */
export function Ticket({ ticket, opens, action }: TicketProps) {
  if (ticket === undefined && action === undefined) return null;
  return (
    <section aria-labelledby="ticket">
      <h2 id="ticket">Ticket</h2>
      {ticket !== undefined && (
        <p className="breaks">
          <a href={ticket} rel="nofollow noopener noreferrer">
            {ticket}
          </a>
        </p>
      )}
      {action && ticket === undefined && opens !== undefined && (
        <p>
          <a className="button" href={opens} target="_blank" rel="noopener">
            Open a ticket
          </a>
        </p>
      )}
      {action && (
        <Form action={action} of="ticket">
          {(form) => (
            <>
              <div className="asks">
                {ticket === undefined ? (
                  <>
                    <label>
                      Address of its ticket
                      <input type="url" {...form.field("ticket")} maxLength={1000} />
                      <span {...form.error("ticket")} className="problem" />
                    </label>
                    <button type="submit" name="do" value="keep">
                      Keep it
                    </button>
                  </>
                ) : (
                  <button type="submit" name="do" value="forget">
                    Forget this ticket
                  </button>
                )}
              </div>
              <div role="status" className="problem">
                {form.errors.join(" ")}
              </div>
            </>
          )}
        </Form>
      )}
    </section>
  );
}
