"""Attacks on the score: a wrong answer that wants the points of a right one."""

from attack import score

AST = """
import ast
class Drop(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.Pass()
get_ipython().ast_transformers.append(Drop())
"""

ROWS = [score("an AST transformer drops every assert", AST)]
