package dev.berth.server.notify;

import java.util.List;
import java.util.Locale;

/** The form of what a web address is sent. */
enum Form {
    /** Berth's own, for programs. */
    JSON(List.of()),
    SLACK(List.of("hooks.slack.com", "hooks.slack-gov.com")),
    DISCORD(List.of("discord.com", "discordapp.com")),
    TEAMS(List.of(".webhook.office.com", ".logic.azure.com", ".api.powerplatform.com")),
    NTFY(List.of("ntfy.sh"));

    /** Made by {@link List#copyOf}, which nobody can change. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final List<String> hosts;

    Form(List<String> hosts) {
        this.hosts = List.copyOf(hosts);
    }

    /** The word before the address by which it is asked for. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The form that a host is known to take; Berth's own for any other. */
    static Form of(String host) {
        for (Form form : values()) {
            for (String known : form.hosts) {
                if (known.startsWith(".") ? host.endsWith(known) : host.equals(known)) {
                    return form;
                }
            }
        }
        return JSON;
    }
}
