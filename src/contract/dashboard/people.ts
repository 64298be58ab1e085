import { z } from "zod";
import { ROLES, type Role } from "#core/role.ts";
import { Email, Name, Password, StoreName } from "./fields.ts";
import { GivenProofForm } from "./sign-in.ts";

/**
 * The people of the store that the request names by `Plantstore-Account`, and the stores of a person.
 *
 * - `GET /people`: 200 People
 * - `POST /people/invitations`, InvitationForm: owner, proof; 200 NewInvitation; 409 (40951, 40902)
 * - `POST /people/invitations/{id}/revoke`: owner; 204
 * - `PATCH /people/{id}`, RoleForm: owner, proof where `owner` is given or taken; 204; 409 (40952)
 * - `POST /people/{id}/remove`, RemovalForm: owner, proof for an owner; 204; 409 (40952)
 * - `POST /people/leave`: 204; 409 (40952)
 * - `POST /invitation`, InvitationToken: without a session; 200 InvitationView; 403 (40355)
 * - `POST /invitation/accept`, AcceptanceForm: 200 SessionView, and a session's cookie for who had none; 403 (40355, 40357)
 * - `PATCH /store`, StoreForm: owner; 204
 * - `POST /store/delete`, StoreNameForm: owner, proof; 204
 * - `POST /store/empty`, StoreNameForm: owner of a test store, proof; 202, and `GET /session` says how many plants are left
 * - `POST /stores`, NewStoreForm: who owns a store, or belongs to none where SIGNUP=open; 200 `{ id }`; 409 (40902)
 */

export interface PersonRecord {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly joined_at: string;
  /** The source of the role: a person, or the rules for an identity provider. */
  readonly by: "hand" | "oidc";
  /** True for a second factor or a passkey. Left out for others than owners. */
  readonly second_factor?: boolean;
}

export interface InvitationRecord {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly created_at: string;
  readonly expires_at: string;
  readonly mailed: boolean;
}

export interface People {
  readonly people: readonly PersonRecord[];
  /** Left out for others than owners. */
  readonly invitations?: readonly InvitationRecord[];
}

export interface NewInvitation {
  readonly invitation: InvitationRecord;
  /** Shown once; null if it was mailed. */
  readonly link: string | null;
}

export interface InvitationView {
  /** The name of the store. */
  readonly store: string;
  readonly email: string;
  readonly role: Role;
  /** The name of the person who invites. */
  readonly invited_by: string;
  readonly has_account: boolean;
}

const RoleName = z.enum(ROLES);

/** `link` asks for the invitation's link in the answer instead of a mail. */
export const InvitationForm = GivenProofForm.extend({
  email: Email,
  role: RoleName,
  link: z.boolean().default(false),
});

export const InvitationToken = z.object({ token: z.string().max(200) });

/** Name and password create an account for the invited address. Without them the caller is signed in with that address. */
export const AcceptanceForm = InvitationToken.extend({ name: Name.optional(), password: Password.optional() });

export const RoleForm = GivenProofForm.extend({ role: RoleName });
export const RemovalForm = GivenProofForm.extend({ revoke_tokens: z.boolean().default(false) });

export const StoreForm = z.object({ name: StoreName.optional(), second_factor_required: z.boolean().optional() });
/** `name` as typed by the reader, which must be the store's own. */
export const StoreNameForm = GivenProofForm.extend({ name: z.string() });
export const NewStoreForm = z.object({ name: StoreName, test: z.boolean().default(false) });
