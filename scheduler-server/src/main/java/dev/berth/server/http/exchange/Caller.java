package dev.berth.server.http.exchange;

import dev.berth.core.job.Submitter;
import java.util.List;

/**
 * The sender of a request.
 *
 * @param user the Unix user, as the kernel or a token says
 * @param role what this user is on this server
 * @param scope how much of that the way they came lets through
 * @param isLocal whether they came by the Unix socket, so that they can run programs on the machine anyway
 */
public record Caller(Submitter user, Role role, Scope scope, boolean isLocal) {

    /** The user of no number that any has, so that nothing belongs to them. */
    private static final long NO_UID = 4_294_967_294L;

    /** Whoever shows nothing, where everybody may read. */
    public static final Caller ANYBODY =
            new Caller(new Submitter(NO_UID, NO_UID, List.of(), ""), Role.READER, Scope.ADMIN, false);

    /** The role of a user on a server. */
    public enum Role {
        /** Sees and steers their own jobs. */
        USER,
        /** Sees everybody's jobs too, but nothing that is private in them. */
        READER,
        /** Sees and steers everybody's jobs, and the server. */
        ADMINISTRATOR
    }

    /** The scope that a way of coming lets through; each lets through what stands before it. */
    public enum Scope {
        READ,
        SUBMIT,
        ADMIN
    }

    /** A caller at the Unix socket of a server that names no roles, with all the rights of their user. */
    public static Caller local(Submitter user) {
        return new Caller(user, user.isRoot() ? Role.ADMINISTRATOR : Role.USER, Scope.ADMIN, true);
    }

    /** The same for another user, in whose place this one acts. */
    public Caller inPlaceOf(Submitter other) {
        return new Caller(other, role, scope, isLocal);
    }

    public long uid() {
        return user.uid();
    }

    public String name() {
        return user.name();
    }

    /** Whether everybody's jobs are there for this caller. What a role adds counts at the full scope alone. */
    public boolean seesAll() {
        return role != Role.USER && scope == Scope.ADMIN;
    }

    public boolean isAdministrator() {
        return role == Role.ADMINISTRATOR && scope == Scope.ADMIN;
    }

    /** Whether nobody knows who it is. */
    public boolean isAnybody() {
        return uid() == NO_UID && name().isEmpty();
    }

    public boolean maySubmit() {
        return !isAnybody() && scope.compareTo(Scope.SUBMIT) >= 0;
    }
}
