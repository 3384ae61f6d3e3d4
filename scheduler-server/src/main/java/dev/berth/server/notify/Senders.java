package dev.berth.server.notify;

import dev.berth.server.notify.Receiver.Command;
import dev.berth.server.notify.Receiver.Mail;
import dev.berth.server.notify.Receiver.Webhook;
import org.jspecify.annotations.Nullable;

/**
 * All ways to send a notice. Safe for any thread.
 *
 * @param mails null where none are sent
 */
record Senders(WebhookSender webhooks, @Nullable MailSender mails, CommandSender commands) implements AutoCloseable {
    /**
     * Sends, and waits until it is known what became of it.
     *
     * @param uid the user whose wish it is
     */
    Sent send(Receiver receiver, long uid, String key, Content content, boolean isRepeated) {
        return switch (receiver) {
            case Webhook hook -> webhooks.send(hook, Message.of(hook.form(), key, content, isRepeated));
            case Mail mail ->
                mails == null
                        ? Sent.Failed.of("this server sends no mail (notify.mail-server)")
                        : mails.send(mail, key, content, isRepeated);
            case Command command -> commands.send(command, uid, key, content, isRepeated);
        };
    }

    /** Ends what runs here; what is sent elsewhere ends with the process. */
    @Override
    public void close() {
        commands.close();
    }
}
