package dev.berth.server.config;

import java.util.Optional;
import java.util.regex.Pattern;

/** A user, or a group of users, by the name in the machine's user database. */
public record Member(String name, boolean isGroup) {
    private static final Pattern NAME = Pattern.compile("[^\\s\\p{Cntrl}:,@][^\\s\\p{Cntrl}:,]{0,255}");

    static Optional<Member> parse(String text) {
        boolean isGroup = text.startsWith("@");
        String name = isGroup ? text.substring(1) : text;
        return NAME.matcher(name).matches() ? Optional.of(new Member(name, isGroup)) : Optional.empty();
    }

    @Override
    public String toString() {
        return (isGroup ? "@" : "") + name;
    }
}
