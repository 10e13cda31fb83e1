import click


@click.command()
def command():
    "x"
