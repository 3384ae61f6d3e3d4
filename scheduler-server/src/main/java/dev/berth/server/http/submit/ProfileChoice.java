package dev.berth.server.http.submit;

import dev.berth.core.api.SubmitRequest;
import dev.berth.core.command.ClosestWord;
import dev.berth.core.option.JobOption;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.linux.Users;
import dev.berth.server.profile.Profile;
import dev.berth.server.profile.ProfileSet;
import dev.berth.server.profile.Profiles;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The profiles that a caller may use. Those of others are to them as if they were not there. */
public record ProfileChoice(Profiles profiles, Users users) {
    private static final int MAX_NAMED = 10;

    /** Of these the ones that a caller may use; an administrator may use all. */
    public List<Profile> usable(ProfileSet set, Caller caller) {
        return set.profiles().stream()
                .filter(profile ->
                        caller.isAdministrator() || profile.audience().includes(caller.user(), users))
                .toList();
    }

    /**
     * The request with what its profile adds.
     *
     * @param isRepeated whether it was accepted before: its profile may be gone
     */
    public Profiled of(SubmitRequest request, Caller caller, boolean isRepeated) {
        String name = request.options().get(JobOption.PROFILE, String.class);
        if (name == null || request.host()) {
            return Profiled.none(request);
        }
        Profiles.State state = profiles.now();
        List<Profile> usable = usable(state.set(), caller);
        Optional<Profile> named =
                usable.stream().filter(profile -> profile.name().equals(name)).findFirst();
        if (named.isEmpty() && !isRepeated) {
            throw unknown(name, usable, state);
        }
        return named.map(profile -> Profiled.of(request, profile)).orElseGet(() -> Profiled.none(request));
    }

    private static ApiException unknown(String name, List<Profile> usable, Profiles.State state) {
        List<String> names = usable.stream().map(Profile::name).toList();
        String nearest = ClosestWord.of(name, names);
        String list =
                names.stream().limit(MAX_NAMED).map(one -> "'" + one + "'").collect(Collectors.joining(", "));
        String more = names.size() > MAX_NAMED ? " and " + (names.size() - MAX_NAMED) + " more" : "";
        return ApiException.field(
                JobOption.PROFILE.field(),
                PrintableText.of(name),
                "is no profile that you may use"
                        + (nearest == null ? "; " : "; did you mean '" + nearest + "'? ")
                        + (names.isEmpty() ? "there are none" : "there are " + list + more)
                        + (state.problems().isEmpty()
                                ? ""
                                : "; their file has a mistake, and those of before count (berth profiles)"));
    }
}
