import { type ActionRef, Form, type FormState } from "holdfast";
import { Said } from "../settings/said.tsx";
import type { ChannelField, ChannelKind } from "./channel-kinds.ts";

interface ChannelFormProps {
  kind: ChannelKind;
  /** Undefined for a new channel. */
  channel?: { id: string; name: string; target: string } | undefined;
  action: ActionRef;
}

/** Adds or changes a channel. What was saved as a secret is not shown again. */
export function ChannelForm({ kind, channel, action }: ChannelFormProps) {
  return (
    <Form action={action} of={channel?.id ?? `add-${kind.kind}`} className="sheet">
      {(form) => (
        <>
          <input type="hidden" name="kind" value={kind.kind} />
          {channel && <input type="hidden" name="id" value={channel.id} />}
          <label>
            Name
            <input {...form.field("name")} defaultValue={channel?.name ?? kind.name} maxLength={80} required />
            <span {...form.error("name")} className="problem" />
          </label>
          {kind.fields.map((field) => (
            <Field key={field.name} field={field} form={form} isNew={channel === undefined} target={channel?.target} />
          ))}
          <button type="submit">{channel ? "Save" : `Add ${kind.name}`}</button>
          <Said form={form} />
        </>
      )}
    </Form>
  );
}

interface FieldProps {
  field: ChannelField;
  form: FormState;
  isNew: boolean;
  target: string | undefined;
}

function Field({ field, form, isNew, target }: FieldProps) {
  const { name, label, type, hint, isSecret } = field;
  return (
    <label>
      {label}
      <input
        {...form.field(name)}
        type={type}
        autoComplete="off"
        required={isNew}
        placeholder={isNew ? hint : "unchanged"}
        {...(!isNew && !isSecret && name === "to" && { defaultValue: target?.replaceAll(",", "") ?? "" })}
      />
      <span {...form.error(name)} className="problem" />
    </label>
  );
}
