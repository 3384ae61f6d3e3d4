package dev.berth.server.profile;

import java.util.List;
import java.util.Optional;

/**
 * The profiles of a file, in its order.
 *
 * @param remarks what else the file says, and means nothing here
 */
public record ProfileSet(List<Profile> profiles, List<String> remarks) {
    static final ProfileSet NONE = new ProfileSet(List.of(), List.of());

    public ProfileSet {
        profiles = List.copyOf(profiles);
        remarks = List.copyOf(remarks);
    }

    public Optional<Profile> find(String name) {
        return profiles.stream().filter(profile -> profile.name().equals(name)).findFirst();
    }
}
