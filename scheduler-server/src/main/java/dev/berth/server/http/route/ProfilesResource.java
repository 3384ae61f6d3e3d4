package dev.berth.server.http.route;

import dev.berth.core.api.OptionValues;
import dev.berth.core.api.ProfileList;
import dev.berth.core.api.ProfileView;
import dev.berth.core.option.JobOption;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.submit.ProfileChoice;
import dev.berth.server.profile.Audience;
import dev.berth.server.profile.Profile;
import dev.berth.server.profile.Profiles;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** {@code /profiles}: those that a caller may name in a submit. */
final class ProfilesResource {
    private static final String ONLY_FOR_OPERATORS =
            "the file of profiles has a mistake, and those of before count; operators see where";

    private final ProfileChoice choice;

    ProfilesResource(ProfileChoice choice) {
        this.choice = choice;
    }

    void addTo(Router router) {
        router.add("GET", "/api/v1/profiles", (exchange, caller, _) -> list(exchange, caller));
    }

    private void list(Exchange exchange, Caller caller) throws IOException {
        Profiles.State state = choice.profiles().now();
        List<ProfileView> usable = choice.usable(state.set(), caller).stream()
                .map(ProfilesResource::view)
                .toList();
        Json.answer(
                exchange,
                200,
                new ProfileList(
                        usable,
                        caller.isAdministrator() || state.problems().isEmpty()
                                ? state.problems()
                                : List.of(ONLY_FOR_OPERATORS),
                        caller.isAdministrator() ? state.set().remarks() : List.of()));
    }

    private static ProfileView view(Profile profile) {
        OptionValues values = profile.values();
        Map<?, ?> variables = values.get(JobOption.ENVIRONMENT, Map.class);
        return new ProfileView(
                profile.name(),
                profile.description(),
                profile.preselected(),
                access(profile.audience()),
                values.get(JobOption.GPUS, Integer.class),
                values.get(JobOption.GPU_TYPE, String.class),
                values.get(JobOption.CPUS, Integer.class),
                values.get(JobOption.CPU_GUARANTEE, Integer.class),
                values.get(JobOption.MEMORY, Long.class),
                values.get(JobOption.MEMORY_GUARANTEE, Long.class),
                values.get(JobOption.SHM, Long.class),
                values.get(JobOption.IMAGE, String.class),
                values.get(JobOption.PULL, String.class),
                variables == null
                        ? List.of()
                        : variables.keySet().stream()
                                .map(String::valueOf)
                                .sorted()
                                .toList(),
                profile.unused());
    }

    private static String access(Audience audience) {
        return switch (audience) {
            case Audience.Everybody _ -> "all";
            case Audience.Named _ -> "yaml";
            case Audience.OfKeycloak _ -> "keycloak";
        };
    }
}
