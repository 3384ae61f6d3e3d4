package dev.berth.server.http.access;

import java.util.List;

/**
 * The holders of each role: names of users, and of groups behind an {@code @}.
 *
 * @param readers who sees everybody's jobs
 */
public record RoleNames(List<String> administrators, List<String> readers) {
    public RoleNames {
        administrators = List.copyOf(administrators);
        readers = List.copyOf(readers);
    }
}
