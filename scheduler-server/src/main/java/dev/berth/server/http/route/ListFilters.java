package dev.berth.server.http.route;

import dev.berth.core.job.StateName;
import dev.berth.core.job.Submitter;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Parameters;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.linux.Users;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.JobQueries.Filter;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The filters that lists of jobs have in common, as requests name them.
 *
 * @param users turns a user's name into a number
 * @param queries do the same for one who is gone from the machine, and whose jobs are still here
 * @param dates until when those ran that have not ended
 */
record ListFilters(Users users, JobQueries queries, InstantSource dates) {
    /** Of a user that nobody is, so that a list of theirs is empty. */
    private static final long NOBODY = -1;

    /** Which jobs a list is of. */
    enum Scope {
        ACTIVE,
        ENDED,
        ALL;

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The scope that a request names; where it names none, all where it names states, else {@code otherwise}. */
    Scope scope(Exchange exchange, Scope otherwise) {
        boolean hasStates = !Parameters.states(exchange).isEmpty();
        String word = exchange.query("scope").orElse(hasStates ? Scope.ALL.word() : otherwise.word());
        Scope scope = Arrays.stream(Scope.values())
                .filter(one -> one.word().equals(word))
                .findFirst()
                .orElseThrow(() -> ApiException.field("scope", word, "must be active, ended or all"));
        if (scope != Scope.ALL && hasStates) {
            throw ApiException.field("state", exchange.query("state").orElse(""), "goes with scope all");
        }
        return scope;
    }

    /** The filter of a list of active or of all jobs is one of states only where those are named. */
    Filter filter(Exchange exchange, Caller caller, Scope scope) {
        return new Filter(
                uid(exchange, caller),
                scope == Scope.ENDED ? states(true) : Parameters.states(exchange),
                exchange.query("project").orElse(null),
                exchange.query("name").orElse(null),
                exchange.query("array").isEmpty()
                        ? null
                        : (Long) Parameters.number(exchange, "array", 1, 1, Long.MAX_VALUE),
                Parameters.flag(exchange, "tasks"));
    }

    /** The jobs of a list in the order that a request asks for; empty where it asks for none. */
    Optional<SortedJobs> sorted(Exchange exchange, Filter filter) {
        return SortedJobs.isWanted(exchange)
                ? Optional.of(SortedJobs.of(exchange, queries, filter, dates.instant()))
                : Optional.empty();
    }

    /** The states of jobs that are over, or of all others. */
    static List<StateName> states(boolean isOver) {
        return Arrays.stream(StateName.values())
                .filter(state -> state.isFinal() == isOver)
                .toList();
    }

    /**
     * The user whose jobs are meant: the caller's own, or for those who see all whom they name. A name means one's own
     * jobs too where no user is named: anybody can call their job as others call theirs.
     */
    private @Nullable Long uid(Exchange exchange, Caller caller) {
        String user = exchange.query("user").orElse(null);
        boolean own = Parameters.flag(exchange, "own");
        if (own && user != null) {
            throw ApiException.field("own", "true", "and user exclude each other; give one");
        }
        if (user == null) {
            boolean all = caller.seesAll() && !own && exchange.query("name").isEmpty();
            return all ? null : Long.valueOf(caller.uid());
        }
        if (!caller.seesAll()) {
            return user.equals(caller.name()) ? caller.uid() : NOBODY;
        }
        return users.find(user)
                .or(() -> queries.owner(user))
                .map(Submitter::uid)
                .orElseThrow(() -> ApiException.field(
                        "user",
                        PrintableText.of(user),
                        "is not in this machine's user database, and has no jobs here"));
    }

    /** The same filter for what jobs wrote, which is their owner's and the administrators'. */
    static Filter ofWhatIsOwn(Filter filter, Caller caller) {
        Long uid = filter.uid();
        if (caller.isAdministrator() || (uid != null && uid == caller.uid())) {
            return filter;
        }
        long meant = uid == null ? caller.uid() : NOBODY;
        return filter.ofUser(meant);
    }
}
