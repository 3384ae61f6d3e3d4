"""A mail server that tells what it gets: a line of JSON for each mail. Python's own, or aiosmtpd where that is gone."""
import email
import email.policy
import json
import threading

PASSED = ("Berth-Notice-Id", "Berth-Notice-Repeated", "Message-ID", "Content-Type", "Date", "From", "To", "Subject")


def tell(sender, recipients, data):
    mail = email.message_from_bytes(data, policy=email.policy.default)
    told = {"sender": sender, "recipients": list(recipients), "headers": sorted(mail.keys())}
    told.update({name: mail[name] for name in PASSED})
    told["body"] = mail.get_content()
    told["defects"] = [str(defect) for defect in mail.defects]
    print(json.dumps(told), flush=True)


try:
    from aiosmtpd.controller import Controller

    class Handler:
        async def handle_DATA(self, server, session, envelope):
            tell(envelope.mail_from, envelope.rcpt_tos, envelope.content)
            return "250 OK"

    controller = Controller(Handler(), hostname="127.0.0.1", port=0)
    controller.start()
    print(json.dumps({"port": controller.server.sockets[0].getsockname()[1]}), flush=True)
    threading.Event().wait()
except ImportError:
    import warnings

    warnings.simplefilter("ignore")
    import asyncore
    import smtpd

    class Server(smtpd.SMTPServer):
        def process_message(self, peer, mailfrom, rcpttos, data, **options):
            tell(mailfrom, rcpttos, data)

    server = Server(("127.0.0.1", 0), None)
    print(json.dumps({"port": server.socket.getsockname()[1]}), flush=True)
    asyncore.loop()
