package dev.berth.server.config;

import java.util.List;

/** Who may do more than their own. */
public record AccessSettings(List<Member> administrators, List<Member> readers) {
    public AccessSettings {
        administrators = List.copyOf(administrators);
        readers = List.copyOf(readers);
    }

    static AccessSettings of(Values values) {
        return new AccessSettings(values.get(Keys.ADMINISTRATORS), values.get(Keys.READERS));
    }
}
